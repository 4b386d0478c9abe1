// SPDX-License-Identifier: Apache-2.0
// Access control lists as values.
#include "fs/acl.h"

#include <linux/posix_acl.h>

#include <catch2/catch.hpp>
#include <cerrno>

#include "base/coding.h"
#include "betr/fs_error.h"

namespace betr::fs {
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

TEST_CASE("a list is read and written", "[fs]") {
  CHECK(Acl::Decode(Extended())->Encode() == Extended());
  CHECK_FALSE(Acl::Decode(Extended())->IsMode());
  CHECK(Acl::Decode(Minimal())->IsMode());
}

TEST_CASE("what is no list is EINVAL", "[fs]") {
  for (const std::string& value : {std::string(), std::string("abc"), Extended().substr(0, 11), Encode({}),
                                   std::string(4, '\0') + Extended().substr(4), Encode({{ACL_USER_OBJ, 7, 0}})}) {
    CHECK(ToErrno(Acl::Decode(value).status()) == EINVAL);
  }
}

TEST_CASE("the group bits are the mask", "[fs]") {
  CHECK(Acl::Decode(Extended())->Permissions() == 0764);
  CHECK(Acl::Decode(Minimal())->Permissions() == 0640);
}

TEST_CASE("a new file gets what both the list and its mode allow", "[fs]") {
  Acl acl = *Acl::Decode(Extended());
  CHECK(acl.Narrow(02666) == 02664);
  CHECK(acl.Permissions() == 0664);
}

TEST_CASE("a list is made of entries in any order", "[fs]") {
  const Acl acl = *Acl::Of({{ACL_OTHER, 4, kNobody},
                            {ACL_MASK, 6, kNobody},
                            {ACL_USER, 6, 1000},
                            {ACL_GROUP_OBJ, 5, kNobody},
                            {ACL_USER_OBJ, 7, kNobody}});
  CHECK(acl.Encode() == Extended());
  CHECK(ToErrno(Acl::Of({{ACL_USER_OBJ, 7, kNobody}}).status()) == EINVAL);
}

TEST_CASE("a mask that is missing allows what all have", "[fs]") {
  const std::vector<AclEntry> base = {{ACL_USER_OBJ, 6, kNobody}, {ACL_GROUP_OBJ, 4, kNobody}, {ACL_OTHER, 1, kNobody}};
  CHECK(Acl::Of(base)->Permissions() == 0641);
  CHECK(Acl::Of(base)->IsMode());
  std::vector<AclEntry> named = base;
  named.push_back({ACL_GROUP, 2, 3'000'000'000});
  CHECK(Acl::Of(named)->entries().size() == 5);
  CHECK(Acl::Of(named)->Permissions() == 0661);
}

}  // namespace
}  // namespace betr::fs
