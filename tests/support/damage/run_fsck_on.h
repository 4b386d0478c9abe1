// SPDX-License-Identifier: Apache-2.0
// Runs fsck.betr in process on a device in memory.
#pragma once

#include <atomic>
#include <string>
#include <string_view>
#include <vector>

#include "device/block_device.h"

namespace betr::test {

inline const std::atomic<bool> kNeverCancelled = false;

struct FsckRun {
  int exit;
  std::string out;
  std::string err;
};

FsckRun RunFsckOn(BlockDevice& device, std::vector<std::string> arguments,
                  const std::atomic<bool>& is_cancelled = kNeverCancelled);

inline bool Says(const FsckRun& run, std::string_view text) {
  return (run.out + run.err).find(text) != std::string::npos;
}

}  // namespace betr::test
