// SPDX-License-Identifier: Apache-2.0
// From what a caller wants of a new image to its first superblock, and back.
#pragma once

#include <absl/status/statusor.h>

#include <chrono>

#include "betr/options.h"
#include "layout/superblock.h"

namespace betr::layout {

// The smallest device of use with nodes and a log of these sizes. A quarter of what is left for nodes is kept in
// reserve (store/headroom.h), and must hold what lets a full store go on: three full nodes, which are a root, the one
// that it is flushed into and one that this splits off, and what the needs of a checkpoint grow by besides.
Bytes MinDeviceSize(Bytes node_size, Bytes log_size);
// The options for a device of that size, with a size in place of each that is 0 (betr/options.h says which). A log that
// is left to the device is never what makes it too small, as far as a smaller one would do.
FormatOptions FittedTo(Bytes device_size, FormatOptions options);
// Errors: kInvalidArgument, naming the smallest size.
absl::Status CheckRoom(const FormatOptions& options, Bytes device_size);

// In reserve, besides nodes: what the needs of a checkpoint may grow by, with small nodes.
inline constexpr uint64_t kReserveUnits = 68;
// What a full node takes at most.
uint64_t FullNodeUnits(Bytes node_size);

// The superblock of an empty image, generation 1. Errors: kInvalidArgument naming the option and its limits, also
// when the device is too small for the log and anything else (CheckRoom asks for more).
absl::StatusOr<Superblock> NewSuperblock(const FormatOptions& options, Bytes device_size, std::chrono::nanoseconds now);

// What the superblock of an image says after a change; of the same generation. Errors: kInvalidArgument naming the
// option and its limits; kFailedPrecondition for another uuid if the log was not ended; kUnimplemented if this build
// may not write to the image.
absl::StatusOr<Superblock> Tuned(const Superblock& superblock, const TuneOptions& options);

// The options with which the image would be made as it is.
FormatOptions OptionsOf(const Superblock& superblock);

}  // namespace betr::layout
