// SPDX-License-Identifier: Apache-2.0
// The command line of betrcp.
#pragma once

#include <absl/status/statusor.h>

#include <cstdint>
#include <string>
#include <vector>

#include "base/units.h"
#include "exclude_options.h"
#include "open_image.h"
#include "tool.h"

namespace betr::tools {

enum class CopyCommand : uint8_t { kCopy, kTar, kClone, kRename, kRemove, kMkdir, kList, kCat, kDiff, kDu };

struct BetrcpOptions {
  std::vector<std::string> operands;
  bool recursive = false;
  bool archive = false;
  bool update = false;
  bool remove_others = false;
  bool one_file_system = false;
  bool dry_run = false;
  bool layer = false;
  std::string since;  // a directory in the image, or empty
  ExcludeOptions exclude;
  bool no_target_directory = false;
  bool long_listing = false;
  bool recursive_listing = false;
  bool parents = false;
  bool stale_ok = false;
  Bytes cache_size{0};
  Experiments experiments;
  // At most one of these; none means copy.
  bool tar = false;
  bool clone = false;
  bool rename = false;
  bool remove = false;
  bool mkdir = false;
  bool list = false;
  bool cat = false;
  bool diff = false;
  bool du = false;
};

ToolDescription BetrcpDescription();

// Adds the options to the parser. `options` must outlive it.
void AddBetrcpOptions(Tool* tool, BetrcpOptions* options);

// Returns the command that was asked for. kInvalidArgument if there is more than one, the wrong number of operands, or
// an option that the command does not have.
absl::StatusOr<CopyCommand> CommandOf(const BetrcpOptions& options);

// Whether the command prints anything with --json.
bool HasDocument(CopyCommand command);

bool ChangesImage(const BetrcpOptions& options, CopyCommand command);

// How a command that only reads opens the image.
ImageAccess ReadAccess(const BetrcpOptions& options);

}  // namespace betr::tools
