// SPDX-License-Identifier: Apache-2.0
// The copy of the superblock in the last unit of an image: for repair, when what is at the beginning of the device is
// gone. Opening an image does not look at it.
//
// It is written after the superblock is durable, without a flush of its own, so it is never newer than the slots. In
// a crash it may stay behind, by as many generations as there were crashes right there.
#pragma once

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <cstdint>
#include <optional>
#include <string>

#include "device/block_device.h"
#include "layout/superblock.h"

namespace betr::layout {

// Durable after the next Flush. Requires: the superblock is durable.
absl::Status WriteCopy(BlockDevice& device, const Superblock& superblock);

// The copy at that unit of the device; nothing if there is something else. One read. Errors: the device's.
absl::StatusOr<std::optional<Superblock>> ReadCopy(BlockDevice& device, uint64_t unit);

// The copy of an image that is as large as the device says; if there is none, every unit is looked at: the device may
// have become larger. Errors: kNotFound; the device's.
absl::StatusOr<Superblock> FindCopy(BlockDevice& device);

// Whether the copy is one of this image, and not newer than it. Errors: kDataLoss; the device's.
absl::Status CheckCopy(BlockDevice& device, const Superblock& newest);

// Makes the slots anew from the copy, if it knows more than they do: when none of them is intact, or the one that is
// holds an older generation. Returns what was done; empty if there was nothing to do. Durable.
// Errors: kInvalidArgument if the device seems to have become something else; kDataLoss if there is no copy where one
// is needed; the device's.
absl::StatusOr<std::string> RestoreSlots(BlockDevice& device);

}  // namespace betr::layout
