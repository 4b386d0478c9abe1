// SPDX-License-Identifier: Apache-2.0
// Keeps open files below a directory that is removed with all that is in it. They live on as orphans, which as a rule
// they become in the batch that removes the rest.
#pragma once

#include <vector>

#include "fs/core.h"

namespace betr::fs {

// Returns all inodes in memory below a directory, each after the directories above it.
std::vector<Inode*> InodesBelow(const Inode& directory);

// Unlinks the open files below a directory, in several transactions, if they are too many for one batch. After a crash
// between these, some of the files are missing from the directory, and the next mount reclaims them. Requires:
// UnlinkMembers was called. Cost: if they are too many, and some are in groups of homes below, a range scan for each
// such home.
absl::Status SetAsideOpenFiles(Core& core, Inode& directory);

}  // namespace betr::fs
