// SPDX-License-Identifier: Apache-2.0
// The disks below a directory: what mountinfo says. host_disks_test.sh has real file systems.
#include "replay/host_disk.h"

#include <fcntl.h>

#include <catch2/catch.hpp>

#include "base/scoped_fd.h"

namespace betr::replay {
namespace {

TEST_CASE("the type and source of a mount") {
  constexpr std::string_view kText =
      "22 27 0:21 / /proc rw,relatime - proc proc rw\n"
      "36 27 0:40 /sub /mnt/a\\040b rw,noatime shared:1 master:2 - btrfs /dev/sdb rw,ssd\n"
      "37 27 0:41 / /mnt/c rw shared:3 - fuse.betr /images/a\\040-\\040b.img rw,user_id=0\n"
      "38 27 0:42 / /mnt/d rw - tmpfs\n"
      "39 27\n"
      "x 27 0:42 / /mnt/d rw - tmpfs none rw\n";
  const auto find = [&](uint64_t number) {
    const std::optional<HostMount> mount = FindMount(kText, number);
    return mount.has_value() ? mount->type + " " + mount->source : "none";
  };
  CHECK(find(22) == "proc proc");
  CHECK(find(36) == "btrfs /dev/sdb");
  CHECK(find(37) == "fuse.betr /images/a - b.img");
  CHECK(find(38) == "none");
  CHECK(find(39) == "none");
  CHECK(find(2) == "none");
  CHECK_FALSE(FindMount("", 1).has_value());
}

TEST_CASE("what is on no disk has no counts") {
  const ScopedFd proc(open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  CHECK(FindHostDisks(proc.get()).empty());
  CHECK(FindHostDisks(-1).empty());
  CHECK_FALSE(CountsOfDisks({}).has_value());
  CHECK_FALSE(CountsOfDisks({"/proc/none"}).has_value());
}

}  // namespace
}  // namespace betr::replay
