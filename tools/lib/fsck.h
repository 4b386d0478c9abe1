// SPDX-License-Identifier: Apache-2.0
// fsck.betr: checks an image and mends what can be mended without guessing.
#pragma once

#include <atomic>

#include "device/block_device.h"
#include "tool_io.h"

namespace betr::tools {

// The mask of fsck(8).
enum FsckExit : int {
  kFsckClean = 0,
  kFsckCorrected = 1,
  kFsckUncorrected = 4,
  kFsckOperational = 8,  // the image could not be opened or read, or not all be told
  kFsckUsage = 16,
  kFsckCancelled = 32,
};

// The whole program. Returns its exit code. `is_cancelled` may become true at any time: what is being written is
// finished, everything else is left.
int FsckMain(Arguments args, ToolIo& io, const std::atomic<bool>& is_cancelled);

// The same, but for --undo-apply, on a device in place of the file that is named: nothing is opened or locked. For
// tests with devices that fail.
int FsckDeviceMain(Arguments args, ToolIo& io, const std::atomic<bool>& is_cancelled, BlockDevice& device);

}  // namespace betr::tools
