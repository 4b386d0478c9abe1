// SPDX-License-Identifier: Apache-2.0
// Everything that the checker finds in an image.
#pragma once

#include <absl/status/statusor.h>

#include <vector>

#include "betr/units.h"
#include "device/block_device.h"
#include "store/offline/check_store.h"

namespace betr::test {

// Leaves out harmless findings. Errors: those of store::Inspection::Open.
absl::StatusOr<std::vector<store::Finding>> CheckImage(BlockDevice& device, Bytes cache_size = MiB(64));

}  // namespace betr::test
