// SPDX-License-Identifier: Apache-2.0
#include "tool.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <memory>

#include "base/size_text.h"
#include "betr/version.h"

namespace betr::tools {
namespace {

// The usual help with room for long options, and with the examples as they were typed.
class HelpFormatter final : public CLI::Formatter {
 public:
  HelpFormatter() { column_width(34); }

  // Without what excludes what: the parser says so when it matters.
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
      usage_exit_(description.usage_exit),
      failed_exit_(description.failed_exit),
      begun_(io.clock.Monotonic()),
      app_(description.summary, name_) {
  app_.formatter(std::make_shared<HelpFormatter>());
  app_.footer("Examples:\n" + description.examples);
  app_.set_help_flag("-h,--help", "Print this help and exit");
  app_.set_version_flag("--version", fmt::format("{} {}", name_, LibraryVersion()), "Print the version and exit");
  app_.add_flag("-q,--quiet", quiet_, "Print errors only");
  app_.add_flag("-v,--verbose", verbosity_, "Tell more; twice: even more");
}

void Tool::AddJson() { app_.add_flag("--json", json_, "Print JSON"); }

void Tool::AddImage() {
  has_image_ = true;
  app_.add_option("-i,--image", image_, "The image file or block device [BETR_IMAGE]")->type_name("IMAGE");
}

CLI::Option* Tool::AddSize(const std::string& names, Bytes* size, const std::string& help) {
  const auto read = [size](const std::string& text) {
    const absl::StatusOr<Bytes> parsed = ParseSize(text);
    if (!parsed.ok()) throw CLI::ConversionError(MessageOf(parsed.status()), CLI::ExitCodes::ConversionError);
    *size = *parsed;
  };
  return app_.add_option_function<std::string>(names, read, help)->type_name("SIZE");
}

std::optional<int> Tool::Parse(Arguments args) {
  try {
    app_.parse(static_cast<int>(args.size()), args.data());
  } catch (const CLI::CallForHelp&) {
    io_.out << app_.help();
    return kExitOk;
  } catch (const CLI::CallForVersion& version) {
    io_.out << version.what() << '\n';
    return kExitOk;
  } catch (const CLI::ParseError& error) {
    return UsageError(error.what());
  }
  if (has_image_ && image_.empty()) image_ = io_.environment("BETR_IMAGE").value_or("");
  return std::nullopt;
}

int Tool::Fail(std::string_view what, const absl::Status& status) {
  PrintError(fmt::format("{}: {}", what, MessageOf(status)));
  return ExitCodeOf(status);
}

void Tool::PrintError(std::string_view text) {
  io_.out.flush();
  io_.err << name_ << ": " << text << std::endl;
}

int Tool::UsageError(std::string_view text) {
  PrintError(text);
  io_.err << "Try '" << name_ << " --help'." << std::endl;
  return usage_exit_;
}

int Tool::Finish(int exit) {
  io_.out.flush();
  if (verbosity_ > 0) {
    const std::chrono::duration<double> taken = io_.clock.Monotonic() - begun_;
    Note(fmt::format("took {:.2f} s, at most {} of memory", taken.count(), FormatSize(PeakMemory())));
  }
  if (io_.out.good()) return exit;
  PrintError("stdout: write: failed");
  return exit == kExitOk ? failed_exit_ : exit;
}

void Tool::Note(std::string_view text) {
  if (!quiet_) PrintError(text);
}

}  // namespace betr::tools
