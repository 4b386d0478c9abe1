// SPDX-License-Identifier: Apache-2.0
// Access lists and permission bits stay in agreement.
#include "acl.h"

#include <linux/posix_acl.h>

#include <catch2/catch.hpp>
#include <cerrno>
#include <string>

#include "support/fs/image.h"

namespace betr::fuse {
namespace {

constexpr uint32_t kNobody = ~0U;

TEST_CASE("setting a list sets the mode, chmod sets the list", "[fuse]") {
  test::Image image;
  const std::string extended = Acl::Of({{ACL_USER_OBJ, 7, kNobody},
                                        {ACL_USER, 6, 1000},
                                        {ACL_GROUP_OBJ, 5, kNobody},
                                        {ACL_MASK, 6, kNobody},
                                        {ACL_OTHER, 4, kNobody}})
                                   ->Encode();
  const std::string minimal =
      Acl::Of({{ACL_USER_OBJ, 6, kNobody}, {ACL_GROUP_OBJ, 4, kNobody}, {ACL_OTHER, 0, kNobody}})->Encode();
  REQUIRE(image.paths().WriteFile("file", "").ok());
  const OpenFile file = *image.paths().Open("file");
  REQUIRE(SetAccessAcl(image.fs(), file.inode(), extended).ok());
  CHECK(image.fs().GetAttributes(file.inode())->permissions == 0764);
  REQUIRE(FollowMode(image.fs(), file.inode(), 0600).ok());
  CHECK(Acl::Decode(*image.fs().GetXattr(file.inode(), kAccessAcl))->Permissions() == 0600);
  // A list that says no more than the bits do is not kept.
  REQUIRE(SetAccessAcl(image.fs(), file.inode(), minimal).ok());
  CHECK(ToErrno(image.fs().GetXattr(file.inode(), kAccessAcl).status()) == ENODATA);
  CHECK(image.fs().GetAttributes(file.inode())->permissions == 0640);
}

TEST_CASE("without space a list is not removed before the mode is that without it", "[fuse]") {
  test::ImageOptions options;
  options.size = MiB(8);
  test::Image image(options);
  const std::string masked = Acl::Of({{ACL_USER_OBJ, 6, kNobody},
                                      {ACL_USER, 6, 1000},
                                      {ACL_GROUP_OBJ, 0, kNobody},
                                      {ACL_MASK, 6, kNobody},
                                      {ACL_OTHER, 0, kNobody}})
                                 ->Encode();
  const std::string minimal =
      Acl::Of({{ACL_USER_OBJ, 6, kNobody}, {ACL_GROUP_OBJ, 0, kNobody}, {ACL_OTHER, 0, kNobody}})->Encode();
  REQUIRE(image.paths().WriteFile("file", "", 0600).ok());
  const OpenFile file = *image.paths().Open("file");
  REQUIRE(SetAccessAcl(image.fs(), file.inode(), masked).ok());
  int number = 0;
  while (image.paths().WriteFile("f" + std::to_string(number), std::string(100, 'x')).ok()) ++number;
  while (image.paths().MakeSymlink("t", "s" + std::to_string(number)).ok()) ++number;
  const absl::Status removed = SetAccessAcl(image.fs(), file.inode(), minimal);
  const bool has_list = image.fs().GetXattr(file.inode(), kAccessAcl).ok();
  CHECK(has_list == !removed.ok());
  if (!has_list) CHECK(image.fs().GetAttributes(file.inode())->permissions == 0600);
}

}  // namespace
}  // namespace betr::fuse
