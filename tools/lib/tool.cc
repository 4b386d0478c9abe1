// SPDX-License-Identifier: Apache-2.0
#include "tool.h"

#include <absl/strings/numbers.h>
#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <system_error>
#include <utility>

#include "base/size_text.h"
#include "base/status.h"
#include "betr/version.h"
#include "shown_text.h"

namespace betr::tools {
namespace {

// The usual help with room for long options, and with the examples as they were typed.
class HelpFormatter final : public CLI::Formatter {
 public:
  HelpFormatter() { column_width(34); }

  // Leaves out which options exclude each other. The parser says so when it matters.
  std::string make_option_opts(const CLI::Option* option) const override {
    const bool has_value = !option->get_positional() && option->get_type_size() != 0;
    return has_value ? " " + option->get_type_name() : "";
  }

  std::string make_footer(const CLI::App* app) const override { return app->get_footer(); }
};

// The most that this process has had in memory.
Bytes PeakMemory() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return KiB(static_cast<uint64_t>(usage.ru_maxrss));
}

}  // namespace

Tool::Tool(const ToolDescription& description, ToolIo& io)
    : io_(io),
      name_(description.name),
      may_be_empty_(description.may_be_empty),
      usage_exit_(description.usage_exit),
      failed_exit_(description.failed_exit),
      begun_(io.clock.Monotonic()),
      app_(description.summary, name_) {
  app_.formatter(std::make_shared<HelpFormatter>());
  app_.footer("Examples:\n" + description.examples);
  app_.set_help_flag("-h,--help", "Print this help and exit");
  app_.set_version_flag("--version", fmt::format("{} {}", name_, LibraryVersion()), "Print the version and exit");
  app_.add_flag("-q,--quiet", quiet_, "Print errors only");
  app_.add_flag("-v,--verbose", verbosity_, "Tell more; in the end also what time and memory it took");
}

void Tool::AddJson() { app_.add_flag("--json", json_, "Print JSON"); }

void Tool::AddImage(std::vector<std::string> instead) {
  has_image_ = true;
  instead_of_image_ = std::move(instead);
  app_.add_option("-i,--image", image_, "The image file or block device [BETR_IMAGE]")->type_name("IMAGE");
}

CLI::Option* Tool::AddParsed(const std::string& names, Reader read, const std::string& help) {
  const std::string name = names.substr(names.rfind(',') + 1);
  const auto checked = [name, read = std::move(read)](const std::string& text) {
    const absl::Status status = read(text);
    if (status.ok()) return;
    throw CLI::ConversionError(fmt::format("{}: {}", name, MessageOf(status)), CLI::ExitCodes::ConversionError);
  };
  return app_.add_option_function<std::string>(names, checked, help);
}

CLI::Option* Tool::AddSize(const std::string& names, Bytes* size, const std::string& help) {
  const auto read = [size](const std::string& text) -> absl::Status {
    BETR_ASSIGN_OR_RETURN(*size, ParseSize(text));
    // Programs take 0 for a size that is not given.
    return size->value > 0 ? absl::OkStatus() : absl::InvalidArgumentError(fmt::format("size '{}': is nothing", text));
  };
  return AddParsed(names, read, help)->type_name("SIZE");
}

// Explains an error. The parser asks for what is missing before it complains of what it does not know. A mistyped name
// explains both, so that is told first.
std::string Tool::Explain(const CLI::ParseError& error) const {
  constexpr std::string_view kNoNumber = "Could not convert: ";  // "--option = text"
  for (const std::string& unknown : app_.remaining(true)) {
    if (unknown == "--") continue;
    const bool is_command = app_.get_require_subcommand_min() > 0 && app_.get_subcommands().empty();
    const char* const what = unknown.starts_with('-') ? "no such option"
                             : is_command             ? "no such command"
                                                      : "one argument too many";
    const bool may_be_image = has_image_ && !is_command && !unknown.starts_with('-');
    return fmt::format("{}: {}{}", unknown, what, may_be_image ? "; the image is named by -i" : "");
  }
  const std::string text = error.what();
  const size_t equals = text.find(" = ");
  if (!text.starts_with(kNoNumber) || equals == std::string::npos) return text;
  return fmt::format("{}: '{}' is not a number, or not in range",
                     text.substr(kNoNumber.size(), equals - kNoNumber.size()), text.substr(equals + 3));
}

std::optional<std::string> Tool::FindEmptyArgument(Arguments args) const {
  for (const std::string_view arg : args) {
    if (arg == "--") break;
    const std::string name(arg.substr(0, arg.find('=')));
    if (name.starts_with("--") && arg.size() == name.size() + 1 && app_.get_option_no_throw(name)) return name;
  }
  std::vector<const CLI::App*> apps = app_.get_subcommands(std::function<bool(const CLI::App*)>());
  apps.push_back(&app_);
  for (const CLI::App* const app : apps) {
    for (const CLI::Option* const option : app->get_options()) {
      if (option->get_name() != may_be_empty_ && std::ranges::count(option->results(), "") > 0) {
        return option->get_name();
      }
    }
  }
  return std::nullopt;
}

std::optional<int> Tool::Parse(Arguments args) {
  try {
    app_.parse(static_cast<int>(args.size()), args.data());
  } catch (const CLI::CallForHelp&) {
    io_.out << app_.help();
    return FinishOutput(kExitOk);
  } catch (const CLI::CallForVersion& version) {
    io_.out << version.what() << '\n';
    return FinishOutput(kExitOk);
  } catch (const CLI::ParseError& error) {
    return UsageError(Explain(error));
  }
  if (const auto empty = FindEmptyArgument(args)) {
    const std::string without = "--no-" + empty->substr(std::min(empty->find_first_not_of('-'), empty->size()));
    const bool has_without = app_.get_option_no_throw(without) != nullptr;
    return UsageError(*empty + ": the value is empty" + (has_without ? "; for none there is " + without : ""));
  }
  const bool has_other = std::any_of(instead_of_image_.begin(), instead_of_image_.end(),
                                     [this](const std::string& name) { return app_.count(name) > 0; });
  if (has_image_ && image_.empty() && !has_other) image_ = io_.environment("BETR_IMAGE").value_or("");
  return std::nullopt;
}

int Tool::Fail(std::string_view what, const absl::Status& status) {
  PrintError(fmt::format("{}: {}", what, MessageOf(status)));
  return ExitCodeOf(status);
}

void Tool::PrintError(std::string_view text) {
  io_.out.flush();
  io_.err << name_ << ": " << ShownText(text, io_.is_err_terminal) << std::endl;
}

int Tool::UsageError(std::string_view text) {
  PrintError(text);
  io_.err << "Try '" << name_ << " --help'." << std::endl;
  return usage_exit_;
}

bool Tool::Print(std::string_view bytes) {
  if (!io_.out.good()) return false;
  errno = 0;
  io_.out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  if (!io_.out.good()) output_error_ = errno;
  return io_.out.good();
}

std::string Tool::OutputError() {
  io_.out.flush();
  if (io_.out.good()) return {};
  if (output_error_ == 0) {
    // Writing again tells why, even if the failure was long ago. It writes what could not be written before or, if none
    // of that was kept, one byte.
    io_.out.clear();
    errno = 0;
    io_.out.put('\n').flush();
    output_error_ = errno;
  }
  return output_error_ == 0 ? "failed" : std::generic_category().message(output_error_);
}

int Tool::FinishOutput(int exit) {
  const std::string error = OutputError();
  if (error.empty()) return exit;
  PrintError("stdout: write: " + error);
  return exit == kExitOk ? failed_exit_ : exit;
}

int Tool::Finish(int exit) {
  exit = FinishOutput(exit);
  if (verbosity_ > 0) {
    const std::chrono::duration<double> taken = io_.clock.Monotonic() - begun_;
    Note(fmt::format("took {:.2f} s, at most {} of memory", taken.count(), FormatSize(PeakMemory())));
  }
  return exit;
}

void Tool::Note(std::string_view text) {
  if (!quiet_) PrintError(text);
}

CLI::Validator WholeNumber() {
  const auto check = [](const std::string& text) {
    uint64_t number = 0;
    const bool is_one = absl::SimpleAtoi(text, &number);
    return is_one ? std::string() : fmt::format("'{}' is not a whole number from 0 to {}", text, UINT64_MAX);
  };
  return {check, ""};
}

}  // namespace betr::tools
