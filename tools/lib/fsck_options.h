// SPDX-License-Identifier: Apache-2.0
// The command line of fsck.betr.
#pragma once

#include <cstdint>
#include <string>

#include "base/units.h"
#include "store/offline/lost_range.h"
#include "tool.h"

namespace betr::tools {

struct FsckOptions {
  bool no = false;     // -n
  bool preen = false;  // -p, -a
  bool yes = false;    // -y
  bool force = false;  // -f
  bool dry_run = false;
  bool data = false;  // --data
  std::string undo;
  std::string undo_apply;
  Bytes cache_size{0};
  uint64_t lost_limit = store::kMaxLostRanges;
  std::string image;

  bool MayRepair() const { return preen || yes; }
};

ToolDescription FsckDescription();
void AddFsckOptions(Tool& tool, FsckOptions* options);

}  // namespace betr::tools
