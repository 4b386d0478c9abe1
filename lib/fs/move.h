// SPDX-License-Identifier: Apache-2.0
// What Rename has in common for replacing and exchanging.
#pragma once

#include "fs/place.h"

namespace betr::fs {

// If names of groups move, or may move, with the slot's object into directory `to`: dissolves the homes that they would
// leave or enter, so that both directories have the same home. Returns whether there are such names below a directory
// whose keys move with it; they are then listed in that home.
absl::StatusOr<bool> PrepareLinks(Core& core, const Slot& from, Inode* to);

// Whether there may be keys below the path of an inode, which move with it.
bool HasContent(const Inode& inode);

// Exchanges what has the two names, both taken.
absl::Status Exchange(Core& core, const Slot& a, const Slot& b);

}  // namespace betr::fs
