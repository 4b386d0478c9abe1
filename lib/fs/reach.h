// SPDX-License-Identifier: Apache-2.0
// `reach` in the records of directories: an upper bound of how far the keys below go, by which renames and clones know,
// as a rule without reading, that no path becomes too long.
//
// Where it grows because of something new, it grows by steps: to where the longest path below, from the root on, has a
// power of two bytes. So few creates change directories above them, and all that are changed together come to have the
// same end. What arrives with a `reach` of its own, by a move or a clone, brings its room along: were that doubled
// again, a few of them, one around the other, would be at the limit. It never shrinks by itself; where it stands in the
// way, it is measured.
#pragma once

#include <cstddef>

#include "fs/place.h"

namespace betr::fs {

// Where the keys below a directory may end, counted from the root on, if one is to end at `end`: at or after that.
size_t RoomyEnd(size_t end);

// ENAMETOOLONG if a path below the slot would be too long, were the directory `inode` there; fine for anything else.
// If its `reach` alone says so, the directories below it that may not fit by theirs are read, up to the first entry
// that does not; when all do, its `reach` in memory is one that fits. It is also said where there are too many clones
// to be sure. Errors: also the store's. Requires: the slot's own path is not too long.
absl::Status CheckReach(Core& core, const Slot& slot, Inode* inode);

// The same for what has the name `from` now, and the path of `to` itself. Nothing is too long that was as long before.
absl::Status CheckMove(Core& core, const Slot& from, const Slot& to);

}  // namespace betr::fs
