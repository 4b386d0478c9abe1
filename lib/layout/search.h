// SPDX-License-Identifier: Apache-2.0
// Reading a part of a device from its beginning to its end, to find structures that nothing else says the place of.
#pragma once

#include <absl/functional/function_ref.h>
#include <absl/status/status.h>

#include <cstdint>
#include <string_view>

#include "device/block_device.h"
#include "layout/extent.h"

namespace betr::layout {

struct SearchVisitor {
  // Is called with one or several whole units, the first of which is `unit`.
  absl::FunctionRef<void(uint64_t unit, std::string_view bytes)> look;
  // Is called with each unit that cannot be read.
  absl::FunctionRef<void(uint64_t unit, const absl::Status& error)> unreadable;
};

// Calls the visitor for every unit of the area, by ascending place. Cost: one read for each MiB. One that fails is
// followed by a read for each of its units. Errors: kCancelled, if the device says so.
absl::Status SearchUnits(BlockDevice& device, const UnitRange& area, const SearchVisitor& visitor);

}  // namespace betr::layout
