// SPDX-License-Identifier: Apache-2.0
// What those who refer to inodes have to hear of when a tree is removed.
#pragma once

#include <utility>
#include <vector>

#include "fs/place.h"

namespace betr::fs {

// Made before the removal, asked after it. Only what somebody refers to counts. Cost: a step for each inode in memory
// that lies below, or has its group in a home above.
class KnownNames {
 public:
  KnownNames(Core& core, const Slot& slot);

  // Adds what is gone by now, or has changed. If a removal is repeated, what was known at first is all.
  void AddTaken(Core& core, RemovedTree* removed) const;

 private:
  std::vector<KnownName> names_;
  std::vector<std::pair<InodeId, uint32_t>> links_;  // of files with several names, which may have some elsewhere
};

}  // namespace betr::fs
