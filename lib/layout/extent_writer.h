// SPDX-License-Identifier: Apache-2.0
// Writes structures to their extents. Adjacent ones are written in one piece.
#pragma once

#include <absl/status/status.h>

#include <string>
#include <string_view>

#include "device/block_device.h"
#include "layout/extent.h"

namespace betr::layout {

// Used by one thread at a time. Only Finish makes sure that everything is written.
class ExtentWriter {
 public:
  explicit ExtentWriter(BlockDevice& device) : device_(device) {}

  // Adds a structure. Requires: the bytes fill the extent.
  absl::Status Add(const ExtentAddress& extent, std::string_view bytes);
  absl::Status Finish();

 private:
  BlockDevice& device_;
  uint64_t start_ = 0;  // in units
  std::string waiting_;
};

}  // namespace betr::layout
