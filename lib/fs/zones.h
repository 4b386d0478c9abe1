// SPDX-License-Identifier: Apache-2.0
// Ablation (docs/ablations.md): zones, as in BetrFS 0.2 and 0.3 (Yuan et al. 2016).
//
// A zone is a subtree of about a target size. Its keys begin with the zone's number instead of the path of the
// directory that is its root (key.h). The number is stored in that directory's record and nowhere else, so renaming the
// directory moves one record. Everything outside such subtrees is in zone 0, that of the file system's root.
//
// What is renamed and is not the root of a zone is copied. A directory that is too large for that first becomes the
// root of a zone, at the price of copying it once. So does a directory that grows too large for the zone that it is in.
// Zones are not merged again: a zone goes with its root.
//
// In an image with zones, also without the experiment:
//   1. Each zone belongs to one directory. Zones may lie in zones, and in and around link homes. Where a damaged image
//      has several directories for a zone, the first that a mount meets has it, and the others are EUCLEAN.
//   2. What is below a directory lies under its content prefix and under those of all zones below (ContentsBelow).
//   3. A clone would break 1 if there are zones below its source, so it is refused.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "fs/mover.h"

namespace betr::fs {

// Whether everything to be moved is estimated at no more than a zone. Hands over what is gathered, and reads O(height)
// nodes. Errors: the store's.
absl::StatusOr<bool> FitIntoZone(Core& core, Bytes zone_size, std::span<const PrefixMove> moves);

// With the experiment: makes a directory that is to be renamed the root of a zone, if it holds more than a zone and is
// not the root of one yet. Cost: that of FitIntoZone; if it becomes one, also that of copying all that it holds.
// Errors: the store's.
absl::Status MakeZoneIfLarge(Core& core, Inode& inode);

// About what the records of a new inode take up.
inline constexpr Bytes kInodeInZone{256};

// With the experiment: notes that an inode, new or grown, makes its zone larger by `more`. Now and then looks at the
// zone, and if it is too large, makes a directory above the inode the root of a zone of its own. If that fails, nothing
// has happened.
void SplitZoneIfGrown(Core& core, const Inode& inode, Bytes more);

// Checks the zone in the record of a directory that was just read. kDataLoss if a directory with that zone has been met
// already, or if there are no zones. O(1).
absl::Status CheckZoneIsFree(Core& core, uint64_t zone);

// Returns the content prefixes of a directory and of all zones below it. If there are zones in the image, scans the
// records of everything below. Scans nothing for the root, which has all zones under its content prefix. Errors:
// kDataLoss if one of the zones is known to be that of a directory elsewhere; the store's.
absl::StatusOr<std::vector<std::string>> ContentsBelow(Core& core, const Inode& directory);

// ENOTSUP if there are zones below an inode. Scans records up to the first root of a zone.
absl::Status CheckHasNoZones(Core& core, const Inode& inode);

}  // namespace betr::fs
