// SPDX-License-Identifier: Apache-2.0
#include "mkfs_options.h"

#include <absl/strings/str_split.h>
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/uuid.h"
#include "reserve_option.h"

namespace betr::tools {

ToolDescription MkfsDescription() {
  return {.name = "mkfs.betr",
          .summary = "Make a betr file system in an image file or on a block device.",
          .examples =
              "  mkfs.betr -s 4G disk.img                    # a sparse file of 4 GiB\n"
              "  mkfs.betr -L data /dev/sdx1                 # a whole partition\n"
              "  mkfs.betr -s 1G -d rootfs --all-root os.img # filled from a directory\n"
              "  zcat a.tar.gz | mkfs.betr -s 1G --tar - a.img\n"};
}

void AddMkfsOptions(Tool* tool, MkfsOptions* options) {
  CLI::App& app = tool->app();
  FormatOptions& format = options->format;
  CLI::Option* image =
      app.add_option("IMAGE", options->image, "File (made if it is missing) or block device")->required();
  tool->AddSize("-s,--size", &options->size, "Size of the image (default: that of IMAGE)");
  app.add_option("-L,--label", format.label, "Name of the file system, at most 64 bytes")->type_name("LABEL");
  const auto read_uuid = [&format](const std::string& text) -> absl::Status {
    format.uuid = text;
    return ParseUuid(text).status();
  };
  tool->AddParsed("-U,--uuid", read_uuid, "UUID (default: a random one)")->type_name("UUID");
  CLI::Option* directory =
      app.add_option("-d,--directory", options->from_directory, "Fill with a copy of a directory")->type_name("DIR");
  CLI::Option* tar =
      app.add_option("--tar", options->from_tar, "Fill from a tar archive, - for stdin")->type_name("FILE");
  directory->excludes(tar);
  AddExcludeOptions(tool, &options->exclude);
  app.add_flag("-x,--one-file-system", options->one_file_system,
               "With -d: leave out what is mounted in DIR, but for the empty directory");
  app.add_flag("--all-root", options->all_root, "Everything belongs to user 0 and group 0");
  tool->AddSize("--node-size", &format.node_size, "Target size of nodes (default: 4M, less for small images)");
  tool->AddSize("--basement-size", &format.basement_size, "Unit of reading and compression (default: 64K, or a node)");
  app.add_option("--fanout", format.fanout, "Children of a node, 4 to 256 (default: 16)")->type_name("N");
  tool->AddSize("--log-size", &format.log_size, "Size of the log (default: by the image, at most 256M)");
  AddReserve(
      tool, [&format](BasisPoints share) { format.reserve = share; },
      "Share of the space that is kept so that a full image takes deletes (default: a 64th or more)");
  app.add_option("--compress", format.compression, "none, lz4[:LEVEL] or zstd[:LEVEL] (default: lz4)")
      ->type_name("ALG");
  const auto set_features = [options, image](const std::string& features) {
    options->features = features;
    image->required(features != "list");
  };
  app.add_option_function<std::string>("-O,--features", set_features, "Format features to use; \"list\" prints them")
      ->type_name("list|FEATURE,...");
  app.add_flag("-f,--force", options->force, "Overwrite what is on IMAGE");
  app.add_flag("-n,--dry-run", options->dry_run, "Only say what would be done");
  tool->AddJson();
}

std::optional<std::string> CheckMkfsOptions(const MkfsOptions& options) {
  if (options.features == "list") return std::nullopt;
  const bool fills = !options.from_directory.empty() || !options.from_tar.empty();
  if (!fills && !options.exclude.Empty()) return "--exclude: only with -d or --tar";
  if (options.from_directory.empty() && options.one_file_system) return "-x: only with -d";
  if (!options.features.empty()) {
    const std::vector<std::string> names = absl::StrSplit(options.features, ',');
    if (std::ranges::count(names, "list") > 0) return "-O: \"list\" stands alone";
    return fmt::format("-O: {}: no such feature; \"-O list\" prints those there are", names.front());
  }
  return std::nullopt;
}

}  // namespace betr::tools
