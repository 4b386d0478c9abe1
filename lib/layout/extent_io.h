// SPDX-License-Identifier: Apache-2.0
// Reads and writes what is in an extent, wherever its pieces are.
#pragma once

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <span>
#include <string_view>

#include "device/block_device.h"
#include "layout/extent_map.h"
#include "layout/space_map.h"

namespace betr::layout {

// Read or write bytes of an extent; `offset` is within the extent. Requires: all of them lie in the extent; whole units
// are written.
absl::Status ReadExtent(BlockDevice& device, const Extent& extent, Bytes offset, std::span<char> out);
absl::Status WriteExtent(BlockDevice& device, const Extent& extent, Bytes offset, std::string_view bytes);

// Writes the map of a scattered extent. Other extents have none: nothing is done.
absl::Status WriteExtentMap(BlockDevice& device, const Extent& extent, const ExtentOwner& owner);

// Takes an extent out of the free space, with its map. Errors: kDataLoss if it is not wholly inside the area and free,
// or if the map is damaged; the device's.
absl::StatusOr<ExtentRef> ClaimExtent(BlockDevice& device, SpaceMap& space, const ExtentAddress& address,
                                      const ExtentOwner& owner);

}  // namespace betr::layout
