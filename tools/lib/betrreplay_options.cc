// SPDX-License-Identifier: Apache-2.0
#include "betrreplay_options.h"

#include <fmt/format.h>

#include <algorithm>

#include "device/disk_profile.h"
#include "open_image.h"

namespace betr::tools {

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
  tool->AddImage();
  app.add_option("--dir", options->directory, "Replay in this directory, which is empty")->type_name("DIR");
  app.add_option("--root", options->root,
                 fmt::format("The directory of the trace that is replayed (default: {})", kDefaultRoot))
      ->type_name("PATH");
  app.add_option("--manifest", options->manifest, "What was there before the trace (default: inferred from it)")
      ->type_name("FILE");
  app.add_option("--check", options->check, "Compare the result with this listing")->type_name("FILE");
  app.add_option("--cwd", options->working_directory, "Where the traced program was started")->type_name("PATH");
  app.add_flag("--print-manifest", options->prints_manifest,
               "Print what the trace says was there before it; no replay");
  app.add_option("--convert", options->convert,
                 "Write the trace with its initial state as a compact file, or that as text; no replay")
      ->type_name("FILE");
  app.add_flag("--threads", options->has_threads, "Do operations by threads as the trace has them, at the same time");
  app.add_option("--speed", options->speed, "Keep the rhythm of the trace, F times as fast (default: do not wait)")
      ->type_name("F")
      ->check(CLI::Range(0.0, 1e6));
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

std::optional<std::string> CheckBetrreplayOptions(const Tool& tool, const BetrreplayOptions& options) {
  if (options.traces.empty()) return "TRACE is required";
  if (!options.root.empty() && !options.root.starts_with('/')) return "--root: not an absolute path";
  if (!options.working_directory.empty() && !options.working_directory.starts_with('/')) {
    return "--cwd: not an absolute path";
  }
  if (!options.directory.empty() && !tool.image().empty()) return "--dir and an image: only one of them";
  if (!options.disk.empty() && FindDiskProfile(options.disk) == nullptr) return "--disk: no such profile";
  if (!options.disk.empty() && tool.image().empty()) return "--disk: only with an image";
  if (options.waits_for_disk && options.disk.empty()) return "--disk-wait: needs --disk";
  const bool replays = !options.prints_manifest && options.convert.empty();
  if (options.prints_manifest && !options.convert.empty()) return "--convert, --print-manifest: only one of them";
  const bool has_target = !options.directory.empty() || !tool.image().empty() || !options.check.empty();
  if (!options.plot.empty() && options.directory.empty() && tool.image().empty()) {
    return "--plot: needs an image or --dir";
  }
  if (!replays && has_target) return "--convert and --print-manifest: without an image, --dir and --check";
  const bool reads_stdin = std::find(options.traces.begin(), options.traces.end(), "-") != options.traces.end();
  if (reads_stdin && options.manifest.empty() && !options.prints_manifest) {
    return "stdin can be read only once: --manifest is required";
  }
  return std::nullopt;
}

}  // namespace betr::tools
