// SPDX-License-Identifier: Apache-2.0
// The copy of the superblock in the last unit of an image: for repair, when what is at the beginning of the device is
// gone; and it tells who opens the image of a newer slot that is not there any more.
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

// Durable after the next Flush. Errors: as of WriteSuperblock. Requires: the superblock is durable.
absl::Status WriteCopy(BlockDevice& device, const Superblock& superblock);

// Writes a superblock, which says something else than the newest one of an image that nobody has open, as its two next
// generations: into the one slot, into the other, and into the copy after each. Durable on return; a crash leaves one
// that says what was said before, or what is said now. Cost: four writes of a unit, four flushes. Errors: as of
// WriteSuperblock. Requires: the newest one is durable.
absl::Status WriteEverywhere(BlockDevice& device, Superblock superblock);

// The copy at that unit of the device; nothing if there is something else. One read. Errors: the device's.
absl::StatusOr<std::optional<Superblock>> ReadCopy(BlockDevice& device, uint64_t unit);

// The copy of an image that is as large as the device says; if there is none, every unit is looked at: the device may
// have become larger. Of several that of the image that was made last. Units that cannot be read are passed over.
// Errors: kNotFound; kCancelled; the device's, if there is no copy in what can be read.
absl::StatusOr<Superblock> FindCopy(BlockDevice& device);

// The copy, if it is one of this image and newer than the newest slot that is intact: then a slot is lost whose state
// was durable. One read. Errors: the device's.
absl::StatusOr<std::optional<Superblock>> ReadNewerCopy(BlockDevice& device, const Superblock& newest);

// The newest superblock, for who goes on from its state: no newer one was durable. No crash makes that fail, since what
// is not there any more was. Three reads. Errors besides those of ReadNewest: kDataLoss says what is lost, and how
// fsck.betr goes on.
absl::StatusOr<NewestSuperblock> ReadToOpen(BlockDevice& device);

// Whether the copy is one of this image, and not newer than it. Errors: kDataLoss; the device's.
absl::Status CheckCopy(BlockDevice& device, const Superblock& newest);

enum class RestoreFrom : uint8_t {
  kNewerCopy,  // only what is newer than the slot that is intact: that is known to have been durable
  kAnyCopy,    // also if no slot is intact: then there may have been newer states than the copy's
};

// Is told that the copy may be an older state than the slots had, before it is taken, as a sentence. May be null.
using TellOlder = std::function<void(const std::string& why)>;

// Makes the slots anew from the copy, if it knows more than they do: when none of them is intact, or those that are
// hold older generations. Returns what was done; empty if there was nothing to do. Durable. A slot whose image has lost
// its end is not overwritten by what knows less. Cost: a read of the whole device, if no slot is intact, nor a copy in
// the last unit, and any copy will do.
// Errors: kInvalidArgument if the device seems to have become something else, or nothing is left of an image's
// beginning and there is no copy, or none is looked for; kDataLoss if there is no copy where one is needed;
// kUnimplemented if the copy has features that this build may only read; the device's.
absl::StatusOr<std::string> RestoreSlots(BlockDevice& device, RestoreFrom from, const TellOlder& tell_older);

}  // namespace betr::layout
