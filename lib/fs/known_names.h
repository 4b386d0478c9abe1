// SPDX-License-Identifier: Apache-2.0
// KnownNames is what holders of references to inodes have to be told when a tree is removed.
#pragma once

#include <utility>
#include <vector>

#include "fs/place.h"

namespace betr::fs {

// Made before the removal, and asked after it. Only inodes that somebody refers to count. Cost: a step for each inode
// in memory that lies below, or has its group in a home above.
class KnownNames {
 public:
  KnownNames(Core& core, const Slot& slot);

  // Adds what is gone by now, or has changed. A removal that is repeated still uses what was known at first.
  void AddTaken(Core& core, RemovedTree* removed) const;

 private:
  std::vector<KnownName> names_;
  std::vector<std::pair<InodeId, uint32_t>> links_;  // of files with several names, which may have some elsewhere
};

}  // namespace betr::fs
