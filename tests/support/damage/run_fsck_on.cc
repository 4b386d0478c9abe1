// SPDX-License-Identifier: Apache-2.0
#include "support/damage/run_fsck_on.h"

#include "fsck.h"
#include "support/tools/run_tool.h"

namespace betr::test {

FsckRun RunFsckOn(BlockDevice& device, std::vector<std::string> arguments, const std::atomic<bool>& is_cancelled) {
  tools::ToolRun run;
  arguments.emplace_back("memory");
  run.Run(
      [&](tools::Arguments args, tools::ToolIo& io) { return tools::FsckDeviceMain(args, io, is_cancelled, device); },
      arguments);
  return {run.exit, run.out, run.err};
}

}  // namespace betr::test
