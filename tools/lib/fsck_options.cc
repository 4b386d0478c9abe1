// SPDX-License-Identifier: Apache-2.0
#include "fsck_options.h"

#include "fsck.h"

namespace betr::tools {
namespace {

constexpr uint64_t kMaxLostLimit = 1'000'000'000;

}  // namespace

ToolDescription FsckDescription() {
  return {.name = "fsck.betr",
          .summary =
              "Checks a betr image, repairs it, and saves what can be saved. Read-only unless -p, -y or --undo-apply "
              "is given.",
          .examples =
              "  fsck.betr disk.img\n"
              "  fsck.betr -y --dry-run disk.img\n"
              "  fsck.betr -y --undo disk.undo disk.img\n"
              "  fsck.betr --undo-apply disk.undo disk.img\n"
              "  fsck.betr --data disk.img\n"
              "  fsck.betr --json disk.img | jq '.findings[].what'\n",
          .usage_exit = kFsckUsage,
          .failed_exit = kFsckOperational};
}

void AddFsckOptions(Tool& tool, FsckOptions* options) {
  CLI::App& app = tool.app();
  CLI::Option* no = app.add_flag("-n", options->no, "Change nothing, only report; the default");
  CLI::Option* preen =
      app.add_flag("-p,-a", options->preen,
                   "Repair what needs no guessing and loses nothing; look closely only at an image that was not "
                   "closed cleanly");
  CLI::Option* yes =
      app.add_flag("-y", options->yes, "Repair everything: what cannot be read is cut out, and said to be lost");
  no->excludes(preen)->excludes(yes);
  preen->excludes(yes);
  app.add_flag("-f", options->force,
               "With -p: look closely in any case; with --undo-apply: put back whatever the image holds by now");
  CLI::Option* dry_run = app.add_flag("--dry-run", options->dry_run,
                                      "With -p or -y: say what would be repaired and lost, and change nothing");
  dry_run->excludes(no);
  CLI::Option* data = app.add_flag("--data", options->data,
                                   "Scrub: read all that is in use in the order of the device and verify its "
                                   "checksums; look closer only if something is wrong");
  CLI::Option* undo =
      app.add_option("--undo", options->undo, "With -p or -y: keep what is overwritten in this new file")
          ->type_name("FILE");
  undo->excludes(dry_run);
  CLI::Option* undo_apply =
      app.add_option("--undo-apply", options->undo_apply, "Put back what --undo kept in this file, and do nothing else")
          ->type_name("FILE")
          ->excludes(no)
          ->excludes(preen)
          ->excludes(yes)
          ->excludes(data)
          ->excludes(dry_run)
          ->excludes(undo);
  CLI::Option* lost_limit =
      app.add_option("--lost-limit", options->lost_limit,
                     "List at most so many ranges that are lost, as reached on ten times as many ways through clones "
                     "[100000]")
          ->type_name("N")
          ->check(CLI::Range(uint64_t{1}, kMaxLostLimit).description(""));
  tool.AddJson();
  CLI::Option* cache = tool.AddSize("--cache", &options->cache_size, "Memory for nodes [256M]");
  undo_apply->excludes(lost_limit)->excludes(cache);
  app.add_option("IMAGE", options->image, "The image file or block device")->required();
}

}  // namespace betr::tools
