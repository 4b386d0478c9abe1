// SPDX-License-Identifier: Apache-2.0
// Reads and writes the two superblock slots of a device.
#pragma once

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <array>
#include <cstddef>
#include <optional>

#include "device/block_device.h"
#include "layout/superblock.h"

namespace betr::layout {

// Reads both slots, for the checker and the dumper. A slot is good if its generation belongs in it and its image fits
// onto the device. Errors inside as of DecodeSuperblock, or the device's.
std::array<absl::StatusOr<Superblock>, 2> ReadSlots(BlockDevice& device);

struct NewestSuperblock {
  Superblock superblock;
  size_t slot = 0;
  // What is wrong with the other slot. It is ok if it holds the generation before, or if this is the first generation
  // of a new image. No crash makes it an error. So an error is damage, and the slot may have held a newer generation.
  absl::Status other;

  // Whether no newer state was durable, whatever the other slot held. This is known after a clean end: the next session
  // begins by writing the same state once more, and what it changes is in the log, or in superblocks after that.
  bool IsKnownNewest() const { return other.ok() || superblock.log_opening != 0; }
};

// Reads the valid superblock with the largest generation. Two reads. Errors:
//   the device's      For either slot. It may only be that the newer state cannot be read at the moment. Going on with
//                     the older one would then destroy it.
//   kInvalidArgument  There is no betr image on the device; says what else there is.
//   kDataLoss         There is an image, but both slots are damaged.
//   kUnimplemented    Either slot needs features that this build does not have.
absl::StatusOr<NewestSuperblock> ReadNewest(BlockDevice& device);

// Reads the intact superblock with the largest generation, even if its image has lost its end. Errors: the device's.
absl::StatusOr<std::optional<Superblock>> ReadNewestOfAnySize(BlockDevice& device);

// Writes the slot that belongs to the generation. Durable after the next Flush. One write. Errors: those of
// CheckSuperblock, since what could not be read again is not written; the device's. Requires: everything that the
// superblock refers to is durable.
absl::Status WriteSuperblock(BlockDevice& device, const Superblock& superblock);

}  // namespace betr::layout
