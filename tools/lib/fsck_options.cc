// SPDX-License-Identifier: Apache-2.0
#include "fsck_options.h"

#include "fsck.h"

namespace betr::tools {

ToolDescription FsckDescription() {
  return {.name = "fsck.betr",
          .summary =
              "Checks a betr image, and repairs what can be repaired without guessing. Read-only unless -p or -y "
              "is given.",
          .examples =
              "  fsck.betr disk.img\n"
              "  fsck.betr -y disk.img\n"
              "  fsck.betr --json disk.img | jq '.findings[].what'\n",
          .usage_exit = kFsckUsage};
}

void AddFsckOptions(Tool& tool, FsckOptions* options) {
  CLI::App& app = tool.app();
  CLI::Option* no = app.add_flag("-n", options->no, "Change nothing, only report; the default");
  CLI::Option* preen = app.add_flag("-p,-a", options->preen,
                                    "Repair as -y does, but only look closely at an image that was not closed cleanly");
  CLI::Option* yes = app.add_flag("-y", options->yes, "Repair what can be repaired without guessing");
  no->excludes(preen)->excludes(yes);
  preen->excludes(yes);
  app.add_flag("-f", options->force, "With -p: look closely in any case");
  tool.AddJson();
  tool.AddSize("--cache", &options->cache_size, "Memory for nodes [256M]");
  app.add_option("IMAGE", options->image, "The image file or block device")->required();
}

}  // namespace betr::tools
