// SPDX-License-Identifier: Apache-2.0
#include "betrreplay_options.h"

#include <absl/strings/numbers.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <system_error>

#include "device/disk_profile.h"
#include "open_image.h"

namespace betr::tools {
namespace {

// Accepts how many times as fast to go. The parser's own ranges would let "nan" through.
CLI::Validator Factor() {
  constexpr double kMost = 1e6;
  const auto check = [](const std::string& text) {
    double factor = 0;
    const bool is_one = absl::SimpleAtod(text, &factor) && factor >= 0 && factor <= kMost;
    return is_one ? std::string() : fmt::format("'{}' is not a number, or not in range", text);
  };
  return {check, ""};
}

absl::Status ReadUmask(const std::string& text, uint32_t* mask) {
  constexpr uint32_t kMost = 0777;
  const char* const end = text.data() + text.size();
  const auto [behind, error] = std::from_chars(text.data(), end, *mask, 8);
  if (error == std::errc() && behind == end && *mask <= kMost) return absl::OkStatus();
  return absl::InvalidArgumentError(fmt::format("'{}' is not an octal number up to 777", text));
}

bool AreSameFile(const std::string& one, const std::string& other) {
  std::error_code error;
  return !other.empty() && std::filesystem::equivalent(one, other, error);
}

// The picture must not take the place of what is read or replayed on.
std::optional<std::string> CheckPlot(const Tool& tool, const BetrreplayOptions& options) {
  if (options.plot.empty()) return std::nullopt;
  if (options.directory.empty() && tool.image().empty()) return "--plot: needs an image or --dir";
  std::vector<std::string> needed = options.traces;
  needed.insert(needed.end(), {tool.image(), options.manifest, options.check});
  const auto is_same = [&options](const std::string& file) { return AreSameFile(options.plot, file); };
  if (std::none_of(needed.begin(), needed.end(), is_same)) return std::nullopt;
  return fmt::format("--plot: {} is read or replayed on, and would be lost", options.plot);
}

// Without a manifest each trace is read twice. A pipe would be empty the second time.
std::optional<std::string> CheckReadings(const BetrreplayOptions& options) {
  if (!options.manifest.empty() || options.prints_manifest) return std::nullopt;
  for (const std::string& trace : options.traces) {
    std::error_code error;
    const std::filesystem::file_status status = std::filesystem::status(trace, error);
    // If the trace is missing, or is a directory, the error of opening it says more.
    const bool is_once = std::filesystem::is_other(status) || trace == "-";
    if (!is_once) continue;
    // Only reading it could tell which of the two it is.
    return fmt::format("{} can be read only once: a trace of strace needs --manifest, a converted one has to be a file",
                       trace == "-" ? "stdin" : trace);
  }
  return std::nullopt;
}

}  // namespace

ToolDescription BetrreplayDescription() {
  return {.name = "betrreplay",
          .summary = "Replay the file operations in a trace of strace, on an image or in a directory.",
          .examples =
              "  strace -f -ttt -T -y -o t.strace make -C /src/project\n"
              "  mkfs.betr -s 4G disk.img\n"
              "  betrreplay -i disk.img --root /src t.strace       # through the library, without a mount\n"
              "  betrreplay --dir /mnt/test --root /src t.strace   # through system calls\n"
              "  betrreplay --root /src --print-manifest t.strace  # what must have been there before\n"
              "  betrreplay --root /src --convert t.trace t.strace # smaller, and faster to read\n"
              "  betrreplay --convert t.txt t.trace                # the same as text, and so back\n"};
}

void AddBetrreplayOptions(Tool* tool, BetrreplayOptions* options) {
  CLI::App& app = tool->app();
  app.add_option("TRACE", options->traces,
                 "Output of strace, plain or zstd, - for stdin; several: those of -ff; or what --convert has made");
  tool->AddImage({"--dir", "--convert", "--print-manifest"});
  app.add_option("--dir", options->directory, "Replay in this directory, which is empty")->type_name("DIR");
  app.add_option("--root", options->root,
                 fmt::format("The directory of the trace that is replayed (default: {})", kDefaultRoot))
      ->type_name("PATH");
  app.add_option("--manifest", options->manifest, "What was there before the trace (default: inferred from it)")
      ->type_name("FILE");
  app.add_option("--check", options->check, "Compare the result with this listing")->type_name("FILE");
  app.add_option("--cwd", options->working_directory, "Where the traced program was started")->type_name("PATH");
  const auto read_umask = [options](const std::string& text) { return ReadUmask(text, &options->umask); };
  tool->AddParsed("--umask", read_umask, fmt::format("The umask it was started with (default: {:03o})", kDefaultUmask))
      ->type_name("MODE");
  app.add_flag("--print-manifest", options->prints_manifest,
               "Print what the trace says was there before it; no replay");
  app.add_option("--convert", options->convert,
                 "Write the trace with its initial state as a compact file, or that as text; no replay")
      ->type_name("FILE");
  app.add_flag("--threads", options->has_threads, "Do operations by threads as the trace has them, at the same time");
  app.add_option("--speed", options->speed, "Keep the rhythm of the trace, F times as fast (default: do not wait)")
      ->type_name("F")
      ->check(Factor());
  app.add_option("--disk", options->disk, "Say how long a disk of this profile would take: hdd-7200")
      ->type_name("PROFILE");
  app.add_flag("--disk-wait", options->waits_for_disk, "Really take as long as the disk of --disk");
  tool->AddSize("--cache", &options->cache_size, "Memory for the store (default: an eighth of the machine's)");
  AddExperiments(*tool, &options->experiments);
  app.add_option("--plot", options->plot, "Draw the replay over time into this SVG file")->type_name("FILE");
  app.add_option("--seed", options->seed, "Chooses the contents of files (default: 1)")
      ->type_name("N")
      ->check(WholeNumber());
  tool->AddJson();
}

std::optional<std::string> CheckBetrreplayOptions(Tool& tool, const BetrreplayOptions& options) {
  if (options.traces.empty()) return "TRACE is required";
  if (tool.app().count("--root") > 0 && !options.root.starts_with('/')) return "--root: not an absolute path";
  if (tool.app().count("--cwd") > 0 && !options.working_directory.starts_with('/')) {
    return "--cwd: not an absolute path";
  }
  if (!options.directory.empty() && !tool.image().empty()) return "--dir and an image: only one of them";
  if (!options.disk.empty() && FindDiskProfile(options.disk) == nullptr) {
    return fmt::format("--disk: {}: no such profile", options.disk);
  }
  for (const char* const option : {"--disk", "--cache", "--experiment"}) {
    const bool is_vain = tool.app().count(option) > 0 && tool.image().empty();
    if (is_vain) return fmt::format("{}: only with an image", option);
  }
  if (options.waits_for_disk && options.disk.empty()) return "--disk-wait: needs --disk";
  const bool replays = !options.prints_manifest && options.convert.empty();
  if (options.prints_manifest && !options.convert.empty()) return "--convert, --print-manifest: only one of them";
  const bool has_target = !options.directory.empty() || !tool.image().empty() || !options.check.empty();
  if (!replays && has_target) return "--convert and --print-manifest: without an image, --dir and --check";
  for (const char* const option : {"--threads", "--speed", "--seed"}) {
    const bool is_vain = tool.app().count(option) > 0 && !replays;
    if (is_vain) return fmt::format("{}: only with a replay", option);
  }
  if (std::optional<std::string> wrong = CheckPlot(tool, options)) return wrong;
  return CheckReadings(options);
}

}  // namespace betr::tools
