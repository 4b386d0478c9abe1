// SPDX-License-Identifier: Apache-2.0
// Reading and writing the two superblock slots of a device.
#pragma once

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <array>
#include <cstddef>
#include <optional>

#include "device/block_device.h"
#include "layout/superblock.h"

namespace betr::layout {

// What both slots hold: for the checker and the dumper. A slot's generation belongs into it, and its image fits
// onto the device. Errors inside as of DecodeSuperblock, or the device's.
std::array<absl::StatusOr<Superblock>, 2> ReadSlots(BlockDevice& device);

struct NewestSuperblock {
  Superblock superblock;
  size_t slot = 0;
  // What is wrong with the other slot: ok if it holds the generation before, or if this is the first one of a new
  // image. No crash makes it an error, so it is damage, and the slot may have held a newer generation.
  absl::Status other;

  // Whether no newer state was durable, whatever the other slot held. After a clean end the next session begins by
  // writing the same state once more, and what it changes is in the log, or in superblocks after that.
  bool IsKnownNewest() const { return other.ok() || superblock.log_opening != 0; }
};

// The valid superblock with the largest generation. Two reads. Errors: the device's, for either slot: going on with
// an older state because the newer one cannot be read at the moment would destroy the newer one; kInvalidArgument if
// there is no betr image on the device (saying what else there is); kDataLoss if there is one, but both slots are
// damaged; kUnimplemented if either slot needs features that this build does not have.
absl::StatusOr<NewestSuperblock> ReadNewest(BlockDevice& device);

// The superblock with the largest generation that is intact, also one whose image has lost its end. Errors: the
// device's.
absl::StatusOr<std::optional<Superblock>> ReadNewestOfAnySize(BlockDevice& device);

// Writes the slot that belongs to the generation; durable after the next Flush. One write.
// Errors: those of CheckSuperblock: what could not be read again is not written. Requires: everything that the
// superblock refers to is durable.
absl::Status WriteSuperblock(BlockDevice& device, const Superblock& superblock);

}  // namespace betr::layout
