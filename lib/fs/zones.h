// SPDX-License-Identifier: Apache-2.0
// Ablation (docs/ablations.md): zones, as in BetrFS 0.2 and 0.3 (Yuan et al. 2016).
//
// A zone is a subtree, of about a target size, whose keys begin with the zone's number instead of with the path of the
// directory that is its root (key.h). The number stands in that directory's record, and nowhere else: whoever renames
// the directory moves one record. Everything that is in no such subtree is in zone 0, the file system's root's.
//
// What is renamed without being a zone's root is copied; a directory that is too large for that becomes one first, at
// the price of copying it once. So it is with directories that grow too large for the zone that they are in. Zones are
// not joined again: one goes with its root.
//
// With zones in an image, also without the experiment:
//   1. Each zone is that of one directory. Zones may lie in zones, and in and around link homes. Where a damaged image
//      has it otherwise, the first directory that a mount meets has the zone, and the others are EUCLEAN.
//   2. What is below a directory is under its content prefix and under those of all zones below: ContentsBelow.
//   3. Clones would break 1 where there are zones below what is cloned. They are refused.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "fs/mover.h"

namespace betr::fs {

// Whether all that is to be moved, by estimate, is not more than a zone. Hands over what is gathered, and reads
// O(height) nodes. Errors: the store's.
absl::StatusOr<bool> FitIntoZone(Core& core, Bytes zone_size, std::span<const PrefixMove> moves);

// With the experiment: makes an inode that is to be renamed the root of a zone if it is a directory, holds more than a
// zone, and is none yet. Costs as FitIntoZone, and copying all that it holds if so. Errors: the store's.
absl::Status MakeZoneIfLarge(Core& core, Inode& inode);

// About what the records of a new inode take.
inline constexpr Bytes kInodeInZone{256};

// With the experiment: notes that a new inode, or one that has become longer, makes its zone so much larger. Now and
// then looks at the zone, and makes a directory above the inode the root of one of its own if it is too large. Where
// that fails nothing has happened.
void SplitZoneIfGrown(Core& core, const Inode& inode, Bytes more);

// For a directory whose record was just read: kDataLoss if the zone that it says is that of a directory that has been
// met, or if there are no zones. O(1).
absl::Status CheckZoneIsFree(Core& core, uint64_t zone);

// The content prefixes of a directory and of all zones below it. Scans the records of all of that if there are zones
// in the image; so it does nothing for the root, which has all zones under its content prefix. Errors: kDataLoss if one
// of them is known to be that of a directory elsewhere; the store's.
absl::StatusOr<std::vector<std::string>> ContentsBelow(Core& core, const Inode& directory);

// ENOTSUP if there are zones below an inode. Scans records up to the first of one.
absl::Status CheckHasNoZones(Core& core, const Inode& inode);

}  // namespace betr::fs
