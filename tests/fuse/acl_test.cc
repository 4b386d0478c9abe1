// SPDX-License-Identifier: Apache-2.0
// Access lists and permission bits stay in agreement.
#include "acl.h"

#include <linux/posix_acl.h>

#include <catch2/catch.hpp>
#include <cerrno>

#include "base/coding.h"
#include "support/fs/image.h"

namespace betr::fuse {
namespace {

struct Line {
  uint16_t tag;
  uint16_t permissions;
  uint32_t id;
};

std::string Encode(const std::vector<Line>& lines) {
  std::string value;
  PutFixed32(&value, 2);
  for (const Line& line : lines) {
    PutFixed16(&value, line.tag);
    PutFixed16(&value, line.permissions);
    PutFixed32(&value, line.id);
  }
  return value;
}

constexpr uint32_t kNobody = ~0U;

std::string Extended() {
  return Encode({{ACL_USER_OBJ, 7, kNobody},
                 {ACL_USER, 6, 1000},
                 {ACL_GROUP_OBJ, 5, kNobody},
                 {ACL_MASK, 6, kNobody},
                 {ACL_OTHER, 4, kNobody}});
}

std::string Minimal() {
  return Encode({{ACL_USER_OBJ, 6, kNobody}, {ACL_GROUP_OBJ, 4, kNobody}, {ACL_OTHER, 0, kNobody}});
}

TEST_CASE("a list is read and written", "[fuse]") {
  CHECK(Acl::Decode(Extended())->Encode() == Extended());
  CHECK_FALSE(Acl::Decode(Extended())->IsMode());
  CHECK(Acl::Decode(Minimal())->IsMode());
}

TEST_CASE("what is no list is EINVAL", "[fuse]") {
  for (const std::string& value : {std::string(), std::string("abc"), Extended().substr(0, 11), Encode({}),
                                   std::string(4, '\0') + Extended().substr(4), Encode({{ACL_USER_OBJ, 7, 0}})}) {
    CHECK(ToErrno(Acl::Decode(value).status()) == EINVAL);
  }
}

TEST_CASE("the group bits are the mask", "[fuse]") {
  CHECK(Acl::Decode(Extended())->Permissions() == 0764);
  CHECK(Acl::Decode(Minimal())->Permissions() == 0640);
}

TEST_CASE("a new file gets what both the list and its mode allow", "[fuse]") {
  Acl acl = *Acl::Decode(Extended());
  CHECK(acl.Narrow(02666) == 02664);
  CHECK(acl.Permissions() == 0664);
}

TEST_CASE("setting a list sets the mode, chmod sets the list", "[fuse]") {
  test::Image image;
  REQUIRE(image.paths().WriteFile("file", "").ok());
  const OpenFile file = *image.paths().Open("file");
  REQUIRE(SetAccessAcl(image.fs(), file.inode(), Extended()).ok());
  CHECK(image.fs().GetAttributes(file.inode())->permissions == 0764);
  REQUIRE(FollowMode(image.fs(), file.inode(), 0600).ok());
  CHECK(Acl::Decode(*image.fs().GetXattr(file.inode(), kAccessAcl))->Permissions() == 0600);
  // A list that says no more than the bits do is not kept.
  REQUIRE(SetAccessAcl(image.fs(), file.inode(), Minimal()).ok());
  CHECK(ToErrno(image.fs().GetXattr(file.inode(), kAccessAcl).status()) == ENODATA);
  CHECK(image.fs().GetAttributes(file.inode())->permissions == 0640);
}

}  // namespace
}  // namespace betr::fuse
