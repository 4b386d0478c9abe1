// SPDX-License-Identifier: Apache-2.0
// Makes an image larger, together with the file that it is in.
#pragma once

#include <absl/status/status.h>

#include "device/file_device.h"
#include "layout/superblock_slots.h"

namespace betr::store {

// The part of Store::GrowImage that comes after opening and locking. `newest` is what layout::ReadToOpen has found.
// Errors as there, naming the device.
absl::Status GrowImage(FileDevice& device, const layout::NewestSuperblock& newest, Bytes size);

}  // namespace betr::store
