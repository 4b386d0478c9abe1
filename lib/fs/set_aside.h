// SPDX-License-Identifier: Apache-2.0
// Open files below a directory that is removed with all that is in it. They live on, as orphans: as a rule from the
// batch on that removes the rest.
#pragma once

#include <vector>

#include "fs/core.h"

namespace betr::fs {

// All inodes in memory below a directory, each after the directories above it.
std::vector<Inode*> InodesBelow(const Inode& directory);

// If the open files below a directory are too many for one batch: unlinks them, in several transactions. A crash
// between these leaves a directory that misses some of them; the next mount reclaims those. Requires: UnlinkMembers.
// Cost: if they are too many, and are names of groups below, a range scan for each home of these.
absl::Status SetAsideOpenFiles(Core& core, Inode& directory);

}  // namespace betr::fs
