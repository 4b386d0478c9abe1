// SPDX-License-Identifier: Apache-2.0
// `reach` in the record of a directory is an upper bound of how far the keys below it go. By it renames and clones
// know, as a rule without reading, that no path becomes too long.
//
// If something new makes it grow, it grows in steps: to where the longest path below, from the root on, has a power of
// two bytes. So few creates change the directories above them, and all that are changed together get the same end.
// What a move or a clone brings has a `reach` of its own, and its room with it. If that were doubled again, a few of
// these inside each other would reach the limit. It never shrinks by itself; where it is in the way, it is measured.
#pragma once

#include <cstddef>

#include "fs/place.h"

namespace betr::fs {

// Where to let the keys below a directory end, counted from the root on, if one is to end at `end`. Not before `end`.
size_t RoomyEnd(size_t end);

// Checks that no path below the slot would be too long if the directory `inode` were there. Ok for anything but a
// directory. If the `reach` of `inode` does not fit, reads the directories below it whose own `reach` does not fit
// either, up to the first entry that is too far. If all fit, its `reach` in memory becomes one that fits.
//
// Errors: ENAMETOOLONG, also if there are too many clones to be sure; the store's. Requires: the slot's own path is not
// too long.
absl::Status CheckReach(Core& core, const Slot& slot, Inode* inode);

// The same for what has the name `from` now, and for the path of `to` itself. What was as long before is not too long.
absl::Status CheckMove(Core& core, const Slot& from, const Slot& to);

}  // namespace betr::fs
