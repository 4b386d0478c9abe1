// SPDX-License-Identifier: Apache-2.0
// Gives the free space of an image that no store has open back to the storage.
#pragma once

#include <absl/status/statusor.h>

#include "betr/store.h"
#include "device/block_device.h"

namespace betr::store {

// The part of Store::TrimImage that comes after opening and locking. Requires: layout::ReadToOpen has accepted
// `device`.
absl::StatusOr<Bytes> TrimImage(BlockDevice& device, const TrimOptions& options);

}  // namespace betr::store
