// SPDX-License-Identifier: Apache-2.0
// The command line of mkfs.betr.
#pragma once

#include <optional>
#include <string>

#include "base/units.h"
#include "betr/options.h"
#include "exclude_options.h"
#include "tool.h"

namespace betr::tools {

struct MkfsOptions {
  std::string image;
  Bytes size{0};  // 0: what there is
  FormatOptions format;
  std::string from_directory;  // at most one of the two
  std::string from_tar;        // "-": stdin
  bool all_root = false;
  bool one_file_system = false;
  ExcludeOptions exclude;
  std::string features;  // "list", or names with commas between them
  bool force = false;
  bool dry_run = false;
};

ToolDescription MkfsDescription();

// Adds the options to the parser. `options` must outlive it.
void AddMkfsOptions(Tool* tool, MkfsOptions* options);

// Checks what the parser cannot. Returns a text for the user if something is wrong.
std::optional<std::string> CheckMkfsOptions(const MkfsOptions& options);

}  // namespace betr::tools
