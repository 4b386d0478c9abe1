// SPDX-License-Identifier: Apache-2.0
// What renames that replace and renames that exchange have in common.
#pragma once

#include "fs/place.h"

namespace betr::fs {

// Prepares link groups for moving the slot's object into directory `to`. If names of groups move with it, or may move,
// dissolves the homes that they would leave or enter, so that both directories have the same home. Returns whether
// there are such names below a directory whose keys move with it. They are then listed in that home. Errors: those of
// CommonHome; EXDEV before any home is dissolved.
absl::StatusOr<bool> PrepareLinks(Core& core, const Slot& from, Inode* to);

// Whether there may be keys below the path of an inode that move with it.
bool HasContent(const Inode& inode);

// Exchanges what has the two names. Requires: both are taken.
absl::Status Exchange(Core& core, const Slot& a, const Slot& b);

}  // namespace betr::fs
