// SPDX-License-Identifier: Apache-2.0
// Changes what an image is called and how much it keeps in reserve.
#pragma once

#include <absl/status/status.h>

#include "betr/options.h"
#include "device/block_device.h"
#include "layout/superblock_slots.h"

namespace betr::store {

// The part of Store::TuneImage that comes after opening and locking. `newest` is what layout::ReadToOpen has found.
// Errors as there, naming the device.
absl::Status TuneImage(BlockDevice& device, const layout::NewestSuperblock& newest, const TuneOptions& options);

}  // namespace betr::store
