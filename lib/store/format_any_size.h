// SPDX-License-Identifier: Apache-2.0
// Makes a store that is smaller than it should be, for tests that want devices to be full soon; or one whose time of
// making is given.
#pragma once

#include <absl/status/status.h>

#include <chrono>

#include "base/clock.h"
#include "betr/options.h"
#include "device/block_device.h"

namespace betr::store {

// As Store::Format, but without layout::CheckRoom: a full store may refuse deletes.
absl::Status FormatAnySize(BlockDevice& device, const FormatOptions& options,
                           std::chrono::nanoseconds now = SystemClock().Now());

}  // namespace betr::store
