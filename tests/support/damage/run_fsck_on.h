// SPDX-License-Identifier: Apache-2.0
// Runs fsck.betr in process on a device in memory.
#pragma once

#include <atomic>
#include <string>
#include <string_view>
#include <vector>

#include "fsck.h"
#include "support/tools/run_tool.h"

namespace betr::test {

inline const std::atomic<bool> kNeverCancelled = false;

struct FsckRun {
  int exit;
  std::string out;
  std::string err;
};

inline FsckRun RunFsckOn(BlockDevice& device, std::vector<std::string> arguments,
                         const std::atomic<bool>& is_cancelled = kNeverCancelled) {
  tools::ToolRun run;
  arguments.emplace_back("memory");
  run.Run(
      [&](tools::Arguments args, tools::ToolIo& io) { return tools::FsckDeviceMain(args, io, is_cancelled, device); },
      arguments);
  return {run.exit, run.out, run.err};
}

inline bool Says(const FsckRun& run, std::string_view text) {
  return (run.out + run.err).find(text) != std::string::npos;
}

}  // namespace betr::test
