// SPDX-License-Identifier: Apache-2.0
// The copy of the superblock in the last unit of an image. It is for repair, when the beginning of the device is gone.
// It also tells whoever opens the image of a newer slot that is not there any more.
//
// Invariants
//   1. It is written after the flush that has made its slot durable, without a flush of its own: so whatever a crash
//      leaves of both, the copy is never newer than the slots. If it is, the newest slot was durable, and was damaged.
//   2. It may be older than the slots: by a generation for each crash between the slot's flush and the next one.
#pragma once

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "device/block_device.h"
#include "layout/superblock.h"
#include "layout/superblock_slots.h"

namespace betr::layout {

// Writes the copy. Durable after the next Flush. Errors: as of WriteSuperblock. Requires: the superblock is durable.
absl::Status WriteCopy(BlockDevice& device, const Superblock& superblock);

// Writes a superblock that says something else than the newest one of an image that nobody has open. It becomes the
// next two generations: it is written into one slot, then into the other, and into the copy after each. Durable on
// return. A crash leaves one that says what was said before, or what is said now. Cost: four writes of a unit, four
// flushes. Errors: as of WriteSuperblock. Requires: the newest one is durable.
absl::Status WriteEverywhere(BlockDevice& device, Superblock superblock);

// Reads the copy at that unit of the device. Nothing if there is something else. One read. Errors: the device's.
absl::StatusOr<std::optional<Superblock>> ReadCopy(BlockDevice& device, uint64_t unit);

// Finds the copy of an image that is as large as the device says. If there is none there, the device may have become
// larger: every unit is looked at. Of several copies, returns that of the image that was made last. Units that cannot
// be read are passed over. Errors: kNotFound; kCancelled; the device's, if there is no copy in what can be read.
absl::StatusOr<Superblock> FindCopy(BlockDevice& device);

// Reads the copy, and returns it if it is one of this image and newer than the newest slot that is intact. Then a slot
// is lost whose state was durable. One read. Errors: the device's.
absl::StatusOr<std::optional<Superblock>> ReadNewerCopy(BlockDevice& device, const Superblock& newest);

// Reads the newest superblock for a caller that goes on from its state: no newer one was durable. No crash makes this
// fail, since whatever is missing was durable. Three reads. Errors besides those of ReadNewest: kDataLoss, which says
// what is lost and how fsck.betr goes on.
absl::StatusOr<NewestSuperblock> ReadToOpen(BlockDevice& device);

// Checks that the copy is one of this image, and not newer than `newest`. Errors: kDataLoss; the device's.
absl::Status CheckCopy(BlockDevice& device, const Superblock& newest);

enum class RestoreFrom : uint8_t {
  kNewerCopy,  // only what is newer than the slot that is intact: that is known to have been durable
  kAnyCopy,    // also if no slot is intact: then there may have been newer states than the copy's
};

// Is told, in a sentence, that the copy may be an older state than the slots had, before it is taken. May be null.
using TellOlder = std::function<void(const std::string& why)>;

// Makes the slots anew from the copy if it knows more than they do: when none of them is intact, or those that are hold
// older generations. Returns what was done; empty if there was nothing to do. Durable on return. A slot whose image has
// lost its end is not overwritten by what knows less. Cost: a read of the whole device, if any copy will do and neither
// a slot nor the copy in the last unit is intact. Errors:
//   kInvalidArgument  The device seems to have become something else. Or nothing is left of an image's beginning, and
//                     there is no copy, or none is looked for.
//   kDataLoss         There is no copy where one is needed.
//   kUnimplemented    The copy has features that this build may only read.
//   the device's
absl::StatusOr<std::string> RestoreSlots(BlockDevice& device, RestoreFrom from, const TellOlder& tell_older);

}  // namespace betr::layout
