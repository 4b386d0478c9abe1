// SPDX-License-Identifier: Apache-2.0
// An image becomes larger. Only its superblocks know how large it is, and nothing lies where the new space is: so they
// say it, and the copy moves to the new end.
//
// A crash at any point leaves an image that opens by itself and has one size or the other. Nothing is ever in the new
// space while a slot has the old size: whoever writes nodes writes a superblock before, into the slot that may have it.
#pragma once

#include <absl/status/status.h>

#include "device/block_device.h"
#include "layout/superblock_slots.h"

namespace betr::layout {

// Whether the image may get that size. Errors: kInvalidArgument if it is not a multiple of 4 KiB, smaller than the
// image, or more than any image has; kUnimplemented if this build may not write to the image.
absl::Status CheckGrowth(const Superblock& superblock, Bytes size);

// Durable on return. Nothing is done if the image has that size. Cost: seven writes of a unit, six flushes. Errors: the
// device's. Requires: CheckGrowth is ok; `newest` is what the device has (ReadToOpen), the device is as large as `size`
// at least, and nobody else has it open.
absl::Status Grow(BlockDevice& device, const NewestSuperblock& newest, Bytes size);

}  // namespace betr::layout
