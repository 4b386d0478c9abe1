// SPDX-License-Identifier: Apache-2.0
// Makes an image larger. Only its superblocks know how large it is, and nothing lies where the new space is. So growing
// writes superblocks with the new size and moves the copy to the new end.
//
// A crash at any point leaves an image that opens by itself and has one size or the other. Nothing is ever in the new
// space while a slot has the old size. This is because whoever writes nodes first writes a superblock, into the slot
// that may still have the old size.
#pragma once

#include <absl/status/status.h>

#include "device/block_device.h"
#include "layout/superblock_slots.h"

namespace betr::layout {

// Checks whether the image may get that size. Errors: kInvalidArgument if it is not a multiple of 4 KiB, smaller than
// the image, or more than any image has; kUnimplemented if this build may not write to the image.
absl::Status CheckGrowth(const Superblock& superblock, Bytes size);

// Grows the image to `size` bytes. Does nothing if it has that size. Durable on return. Cost: seven writes of a unit,
// six flushes. Errors: the device's. Requires: CheckGrowth is ok; `newest` is what the device has (ReadToOpen); the
// device has at least `size` bytes; nobody else has it open.
absl::Status Grow(BlockDevice& device, const NewestSuperblock& newest, Bytes size);

}  // namespace betr::layout
