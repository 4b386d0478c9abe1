// SPDX-License-Identifier: Apache-2.0
// Turns what a caller wants of a new image into its first superblock, and back.
#pragma once

#include <absl/status/statusor.h>

#include <chrono>

#include "betr/options.h"
#include "layout/superblock.h"

namespace betr::layout {

// The smallest device that is of use with nodes and a log of these sizes. A quarter of what is left for nodes is kept
// in reserve (store/headroom.h). This must hold what lets a full store go on. That is three full nodes: a root, the
// node that it is flushed into, and one that this splits off. It is also what the needs of a checkpoint grow by.
Bytes MinDeviceSize(Bytes node_size, Bytes log_size);
// The options for a device of that size, with a size in place of each that is 0 (betr/options.h says which). Where the
// log size is 0, the log is made smaller if the device would otherwise be too small.
FormatOptions FittedTo(Bytes device_size, FormatOptions options);
// Checks that the device is large enough. Errors: kInvalidArgument, naming the smallest size.
absl::Status CheckRoom(const FormatOptions& options, Bytes device_size);

// Part of the reserve besides nodes: what the needs of a checkpoint may grow by, with small nodes.
inline constexpr uint64_t kReserveUnits = 68;
// The most units that a full node takes.
uint64_t FullNodeUnits(Bytes node_size);

// The superblock of an empty image, generation 1. Errors: kInvalidArgument naming the option and its limits. This is
// also the error if the device is too small to hold a log and anything else (CheckRoom asks for more).
absl::StatusOr<Superblock> NewSuperblock(const FormatOptions& options, Bytes device_size, std::chrono::nanoseconds now);

// The superblock of an image after a change, with the same generation. Errors: kInvalidArgument naming the option and
// its limits; kFailedPrecondition for another uuid if the log was not ended; kUnimplemented if this build may not write
// to the image.
absl::StatusOr<Superblock> Tuned(const Superblock& superblock, const TuneOptions& options);

// The options that would make this image.
FormatOptions OptionsOf(const Superblock& superblock);

}  // namespace betr::layout
