// SPDX-License-Identifier: Apache-2.0
#include "mount_table.h"

#include <catch2/catch.hpp>
#include <sstream>

namespace betr::fuse {
namespace {

TEST_CASE("characters that the table of mounts has as numbers are read back", "[fuse]") {
  std::istringstream lines(
      "/images/disk\\0431.img /mnt\\040one fuse.betr rw 0 0\n"
      "/a\\134043\\011b\\012c /mnt fuse rw 0 0\n"
      "name\\04 /end\\ fuse.betr rw 0 0\n");
  const std::vector<MountEntry> entries = ReadMountTable(lines);
  REQUIRE(entries.size() == 3);
  CHECK(entries[0].source == "/images/disk#1.img");
  CHECK(entries[0].directory == "/mnt one");
  CHECK(entries[0].type == "fuse.betr");
  CHECK(entries[1].source == "/a\\043\tb\nc");
  CHECK(entries[1].type == "fuse");
  CHECK(entries[2].source == "name\\04");
  CHECK(entries[2].directory == "/end\\");
}

TEST_CASE("lines of the table of mounts that are none are left out", "[fuse]") {
  std::istringstream lines("\nshort line\nnone /proc proc rw 0 0\n");
  const std::vector<MountEntry> entries = ReadMountTable(lines);
  REQUIRE(entries.size() == 1);
  CHECK(entries[0].directory == "/proc");
}

}  // namespace
}  // namespace betr::fuse
