// SPDX-License-Identifier: Apache-2.0
// From what a caller wants of a new image to its first superblock, and back.
#pragma once

#include <absl/status/statusor.h>

#include <chrono>

#include "betr/options.h"
#include "layout/superblock.h"

namespace betr::layout {

// The smallest device that takes a log of this size: it leaves some room for nodes.
Bytes MinDeviceSize(Bytes log_size);

// The superblock of an empty image, generation 1. Errors: kInvalidArgument naming the option and its limits, also
// when the device is too small for the log.
absl::StatusOr<Superblock> NewSuperblock(const FormatOptions& options, Bytes device_size, std::chrono::nanoseconds now);

// The options with which the image was made.
FormatOptions OptionsOf(const Superblock& superblock);

}  // namespace betr::layout
