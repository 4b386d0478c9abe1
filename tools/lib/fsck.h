// SPDX-License-Identifier: Apache-2.0
// fsck.betr: checks an image, and repairs what can be repaired without guessing.
#pragma once

#include <atomic>

#include "device/block_device.h"
#include "tool_io.h"

namespace betr::tools {

// The exit code, a mask as in fsck(8).
enum FsckExit : int {
  kFsckClean = 0,
  kFsckCorrected = 1,
  kFsckUncorrected = 4,
  kFsckOperational = 8,  // the image could not be opened or read, or not everything could be told
  kFsckUsage = 16,
  kFsckCancelled = 32,
};

// The whole program. Returns its exit code. `is_cancelled` may become true at any time. A write in progress is then
// finished, and nothing else is done.
int FsckMain(Arguments args, ToolIo& io, const std::atomic<bool>& is_cancelled);

// The same, except --undo-apply, on a device instead of the file that is named. Nothing is opened or locked. For tests
// with devices that fail.
int FsckDeviceMain(Arguments args, ToolIo& io, const std::atomic<bool>& is_cancelled, BlockDevice& device);

}  // namespace betr::tools
