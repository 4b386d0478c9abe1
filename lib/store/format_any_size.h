// SPDX-License-Identifier: Apache-2.0
// Makes a store that is smaller than it should be: for tests that want devices to be full soon.
#pragma once

#include <absl/status/status.h>

#include "betr/options.h"
#include "device/block_device.h"

namespace betr::store {

// As Store::Format, but a full store may refuse deletes.
absl::Status FormatAnySize(BlockDevice& device, const FormatOptions& options);

}  // namespace betr::store
