// SPDX-License-Identifier: Apache-2.0
// The command line of mount.betr, as people and mount(8) write it.
#include "mount_options.h"

#include <sys/mount.h>

#include <catch2/catch.hpp>
#include <sstream>
#include <string>
#include <utility>

#include "support/tools/man_page.h"
#include "support/tools/run_tool.h"
#include "unmount.h"

namespace betr::fuse {
namespace {

MountCommand Command(std::vector<std::string> lists) {
  MountCommand command;
  command.image = "/images/disk.img";
  command.directory = "/mnt";
  command.option_lists = std::move(lists);
  return command;
}

// The page has a subsection for the options of umount.betr.
struct PageParts {
  std::string mount;    // the page without it
  std::string unmount;  // it alone
};

PageParts ReadMountPage() {
  std::string page = tools::ReadManPage("mount.betr.8");
  const size_t begin = page.find("\n.SS Options of umount.betr\n");
  REQUIRE(begin != std::string::npos);
  const size_t size = page.find("\n.SH ", begin) - begin;
  std::string unmount = page.substr(begin, size);
  return {.mount = page.erase(begin, size), .unmount = std::move(unmount)};
}

TEST_CASE("root's mounts are for everybody, with devices and set-id bits", "[fuse]") {
  const MountPlan plan = *PlanOf(Command({}), true);
  CHECK(FuseOptions(plan) == "default_permissions,fsname=/images/disk.img,subtype=betr,noatime,allow_other,suid,dev");
  const MountPlan narrowed = *PlanOf(Command({"noallow_other,nosuid"}), true);
  CHECK(FuseOptions(narrowed) == "default_permissions,fsname=/images/disk.img,subtype=betr,noatime,suid,dev,nosuid");
}

TEST_CASE("other people's mounts are for themselves", "[fuse]") {
  CHECK(FuseOptions(*PlanOf(Command({}), false)) == "default_permissions,fsname=/images/disk.img,subtype=betr,noatime");
}

TEST_CASE("options with values are read", "[fuse]") {
  const MountPlan plan =
      *PlanOf(Command({"cache=64M,commit=30", "threads=3,look=70,ro,writeback,noxattr,relatime"}), true);
  CHECK(plan.cache_size == MiB(64));
  CHECK(plan.commit_period == std::chrono::seconds(30));
  CHECK(plan.threads == 3);
  CHECK(plan.look == std::chrono::microseconds(70));
  CHECK(plan.server.read_only);
  CHECK(plan.server.writeback);
  CHECK_FALSE(plan.server.xattrs);
  CHECK_FALSE(plan.server.acl);
  CHECK(plan.access_times);
}

TEST_CASE("of two opposite options the last one counts", "[fuse]") {
  CHECK(MountFlags(*PlanOf(Command({}), true)) == MS_NOATIME);
  CHECK(MountFlags(*PlanOf(Command({"nosuid,nodev,noexec,relatime,ro"}), true)) ==
        (MS_NOSUID | MS_NODEV | MS_NOEXEC | MS_RDONLY));
  CHECK(MountFlags(*PlanOf(Command({"nosuid,nodev,suid", "noexec,exec"}), true)) == (MS_NODEV | MS_NOATIME));
}

TEST_CASE("experiments are gathered", "[fuse]") {
  const MountPlan plan = *PlanOf(Command({"experiment=eager-gotos,experiment=split-by-size", "experiment="}), true);
  CHECK(plan.experiments == Experiments{.eager_gotos = true, .split_by_size = true});
}

TEST_CASE("io_uring is asked for, and is libfuse's to do", "[fuse]") {
  CHECK(FuseOptions(*PlanOf(Command({"io_uring"}), false)) ==
        "default_permissions,fsname=/images/disk.img,subtype=betr,noatime,io_uring");
  CHECK_FALSE(PlanOf(Command({"io_uring,noio_uring"}), false)->io_uring);
}

TEST_CASE("the name and the type in the table of mounts can be chosen", "[fuse]") {
  CHECK(FuseOptions(*PlanOf(Command({"fsname=a\\,b,subtype="}), false)) == "default_permissions,fsname=a\\,b,noatime");
  CHECK(FuseOptions(*PlanOf(Command({"fsname=a,subtype=x\\,nodev\\\\"}), false)) ==
        "default_permissions,fsname=a,subtype=x\\,nodev\\\\,noatime");
}

TEST_CASE("what mount(8) and fstab have besides is ignored", "[fuse]") {
  const MountPlan plain = *PlanOf(Command({}), true);
  const MountPlan full = *PlanOf(Command({"defaults,noauto,user,user=me,_netdev,nofail,nodiratime,discard,x-systemd."
                                          "automount,comment=x,uhelper=fuse,user_id=0"}),
                                 true);
  CHECK(FuseOptions(full) == FuseOptions(plain));
}

TEST_CASE("an unknown option or a wrong value is refused", "[fuse]") {
  for (const char* list : {"frobnicate", "cache=much", "threads=-1", "threads=1000", "look=1001", "commit=5s", "cache",
                           "experiment=none", "cache=", "cache=0", "cache=99999T", "fsname=", "commit="}) {
    const absl::StatusOr<MountPlan> plan = PlanOf(Command({list}), true);
    INFO(list);
    CHECK(plan.status().code() == absl::StatusCode::kInvalidArgument);
  }
  MountCommand sloppy = Command({"frobnicate"});
  sloppy.sloppy = true;
  CHECK(PlanOf(sloppy, true).ok());
}

TEST_CASE("the manual of mount.betr explains the options of its parser", "[fuse]") {
  std::stringstream stream;
  ManualClock clock;
  tools::ToolIo io{.in = stream, .out = stream, .err = stream, .environment = {}, .clock = clock};
  tools::Tool tool(MountDescription(), io);
  MountCommand command;
  AddMountOptions(&tool, &command);
  const PageParts page = ReadMountPage();
  CHECK(tools::OptionsOfPage(page.mount) == tools::OptionsOfParser(tool.app()));
}

TEST_CASE("the manual of umount.betr explains the options that its help names", "[fuse]") {
  tools::ToolRun run;
  CHECK(run.Run(UnmountMain, {"--help"}) == tools::kExitOk);
  CHECK(tools::OptionsOfPage(ReadMountPage().unmount) == tools::OptionsOfHelp(run.out));
}

}  // namespace
}  // namespace betr::fuse
