// SPDX-License-Identifier: Apache-2.0
// Whether attributes were told, as a server asks that has changed them.
#include <catch2/catch.hpp>

#include "support/fs/image.h"

namespace betr::test {
namespace {

TEST_CASE("attributes are told by looking at what is there", "[fs]") {
  Image image;
  FileSystem& fs = image.fs();
  const InodeId directory = fs.Create(kRootInode, "d", {.type = FileType::kDirectory})->inode;
  CHECK_FALSE(fs.TakeTold(directory));

  REQUIRE(fs.GetAttributes(directory).ok());
  CHECK(fs.TakeTold(directory));
  CHECK_FALSE(fs.TakeTold(directory));

  REQUIRE(fs.Lookup(kRootInode, "d").ok());
  CHECK(fs.TakeTold(directory));

  REQUIRE(fs.LookupAfter(kRootInode, "", 1).ok());
  CHECK(fs.TakeTold(kRootInode, "d") == directory);
  CHECK_FALSE(fs.TakeTold(kRootInode, "d"));
  CHECK_FALSE(fs.TakeTold(directory));

  CHECK_FALSE(fs.TakeTold(kRootInode, "none"));
  CHECK_FALSE(fs.TakeTold(InodeId{4711}));
  CHECK_FALSE(fs.TakeTold(InodeId{4711}, "d"));
  fs.Forget(directory, 3);
}

}  // namespace
}  // namespace betr::test
