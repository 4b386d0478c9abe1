// SPDX-License-Identifier: Apache-2.0
#include "mount_table.h"

#include <catch2/catch.hpp>
#include <sstream>

namespace betr::fuse {
namespace {

TEST_CASE("characters that the table of mounts has as numbers are read back", "[fuse]") {
  std::istringstream lines(
      "36 35 0:52 /a\\040b /mnt\\040one rw shared:1 - fuse.betr /images/disk\\0431.img rw\n"
      "37 35 0:53 / /mnt rw - fuse /a\\134043\\011b\\012c rw\n"
      "38 35 0:54 / /end\\ rw - fuse.be\\040tr name\\04 rw\n");
  const std::vector<MountInfo> infos = ReadMountInfos(lines);
  REQUIRE(infos.size() == 3);
  CHECK(infos[0].source == "/images/disk#1.img");
  CHECK(infos[0].root == "/a b");
  CHECK(infos[0].directory == "/mnt one");
  CHECK(infos[0].type == "fuse.betr");
  CHECK(infos[1].source == "/a\\043\tb\nc");
  CHECK(infos[1].type == "fuse");
  CHECK(infos[2].source == "name\\04");
  CHECK(infos[2].directory == "/end\\");
  CHECK(infos[2].type == "fuse.be tr");
}

TEST_CASE("a file system that is read-only is told from a mount of it that is", "[fuse]") {
  std::istringstream lines(
      "36 35 0:52 / /mnt\\040one rw,noatime - fuse.betr /images/disk.img ro,user_id=0,group_id=0\n"
      "37 35 0:53 / /mnt ro,noatime shared:2 master:1 - fuse.betr name rw,user_id=0\n"
      "38 35 98:0 /root /other rw - ext4  ro\n"
      "\n39 35\nnone /proc proc rw 0 0\n40 35 0:52 / /mnt rw - fuse.betr\n");
  const std::vector<MountInfo> infos = ReadMountInfos(lines);
  REQUIRE(infos.size() == 3);
  CHECK(infos[0].device == "0:52");
  CHECK(infos[0].directory == "/mnt one");
  CHECK(infos[0].read_only);
  CHECK(infos[1].device == "0:53");
  CHECK_FALSE(infos[1].read_only);
  CHECK(infos[2].directory == "/other");
  CHECK(infos[2].type == "ext4");
  CHECK(infos[2].source.empty());
  CHECK(infos[2].read_only);
}

TEST_CASE("what is mounted in a tree of a file system is found", "[fuse]") {
  std::istringstream lines(
      "20 1 98:0 / / rw - ext4 disk rw\n"
      "36 20 0:52 / /mnt rw - fuse.betr disk.img rw\n"
      "37 20 0:52 /a/b /bound rw - fuse.betr disk.img rw\n"
      "38 37 0:60 / /bound/c rw - tmpfs none rw\n"
      "39 36 0:61 / /mnt/x\\040y rw - tmpfs none rw\n"
      "40 39 0:62 / /mnt/x\\040y/far rw - tmpfs none rw\n"
      "41 20 0:63 / /mntab rw - tmpfs none rw\n");
  const std::vector<MountInfo> infos = ReadMountInfos(lines);
  for (const char* path : {"/", "/a", "/a/b", "/a/b/c", "/x y"}) CHECK(IsMountedWithin(infos, "0:52", path));
  for (const char* path : {"/a/b/cd", "/b", "/c", "/x", "/x y/far", "/ab", "/a/b/c/d"}) {
    CHECK_FALSE(IsMountedWithin(infos, "0:52", path));
  }
  CHECK_FALSE(IsMountedWithin(infos, "0:99", "/"));
  CHECK(IsMountedWithin(infos, "98:0", "/mnt"));
}

}  // namespace
}  // namespace betr::fuse
