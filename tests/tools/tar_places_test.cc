// SPDX-License-Identifier: Apache-2.0
// What an archive has that can be nowhere below the destination is told of, and what follows it is unpacked.
#include <catch2/catch.hpp>
#include <cerrno>
#include <string>
#include <vector>

#include "fs/tar/tar_copy.h"
#include "support/fs/image.h"
#include "support/must.h"
#include "support/tools/tar_archive.h"

namespace betr::test {
namespace {

using Texts = std::vector<std::string>;

// Unpacks into "in". What was told of.
Texts Unpack(Image& image, const std::string& members, fs::CopyOptions options = {}) {
  const ArchiveFile file(Finished(members));
  Texts told;
  options.gone_without = [&](const absl::Status& status) { told.emplace_back(status.message()); };
  const fs::CopyTotals totals = Must(fs::ImportTar(&image.fs(), file.descriptor(), "in", options));
  CHECK(totals.gone_without == told.size());
  return told;
}

std::string ExtendedRecord(const std::string& key, const std::string& value) {
  const std::string rest = " " + key + "=" + value + "\n";
  size_t size = rest.size();
  while (size != rest.size() + std::to_string(size).size()) size = rest.size() + std::to_string(size).size();
  return std::to_string(size) + rest;
}

// An extended header for the member behind it.
std::string Extended(const std::string& key, const std::string& value) {
  return Member("PaxHeaders/x", 'x', ExtendedRecord(key, value));
}

TEST_CASE("names with .. in an archive are passed over", "[tools]") {
  for (const bool is_layer : {false, true}) {
    Image image;
    fs::CopyOptions options;
    options.is_layer = is_layer;
    const std::string members =
        Member("../up", '0', "x") + Member("a/../b", '0', "x") + Member("d/..", '5') + Member("first", '0', "1") +
        Member("l", '1', "", "../x") + Member("m", '1', "", "a/../first") + Member("..", '2', "", "first") +
        Member("a/../.wh.first", '0') + Member("s", '2', "", "../..") + Member("last", '0', "2");
    CHECK(Unpack(image, members, options) ==
          Texts{"../up: the name contains '..'", "a/../b: the name contains '..'", "d/..: the name contains '..'",
                "l: link to ../x: the name contains '..'", "m: link to a/../first: the name contains '..'",
                "..: the name contains '..'", "a/../.wh.first: the name contains '..'"});
    CHECK(*image.paths().List("") == Texts{"in"});
    CHECK(*image.paths().List("in") == Texts{"first", "last", "s"});
    CHECK(*image.paths().ReadFile("in/last") == "2");
    image.Check();
  }
}

TEST_CASE("what is no directory and has the name of the destination is passed over", "[tools]") {
  for (const bool is_layer : {false, true}) {
    Image image;
    fs::CopyOptions options;
    options.is_layer = is_layer;
    const std::string members = Member(".", '0', "x") + Member("", '0', "x") + Member("./", '2', "", "x") +
                                Member("/", '1', "", "x") + Member("./.", '5') + Member("last", '0', "2");
    const Texts told = Unpack(image, members, options);
    REQUIRE(told.size() == 4);
    CHECK(told[0] == ".: the directory that is unpacked into: Not a directory");
    CHECK(told[1] == ": the directory that is unpacked into: Not a directory");
    CHECK(*image.paths().List("in") == Texts{"last"});
    CHECK(*image.paths().ReadFile("in/last") == "2");
  }
}

TEST_CASE("what a layer says of nothing is passed over", "[tools][layer]") {
  Image image;
  fs::CopyOptions options;
  options.is_layer = true;
  const Texts told = Unpack(
      image,
      Member("a", '0') + Member(".wh.", '0') + Member(".wh..", '0') + Member(".wh...", '0') + Member("last", '0'),
      options);
  REQUIRE(told.size() == 3);
  CHECK(told[2] == ".wh...: says that something without a name is gone");
  CHECK(*image.paths().List("") == Texts{"in"});
  CHECK(*image.paths().List("in") == Texts{"a", "last"});
}

TEST_CASE("a file is unpacked without an extended attribute that none can have", "[tools]") {
  Image image;
  const std::string long_name = "user." + std::string(300, 'n');
  const std::string xattr = "SCHILY.xattr.";
  const Texts told =
      Unpack(image, Extended(xattr + "user.big", std::string(70000, 'v')) + Member("big", '0', "content") +
                        Extended(xattr + long_name, "v") + Member("long", '0') +
                        Extended(xattr + "user.fits", std::string(60000, 'v')) + Member("last", '0', "2"));
  REQUIRE(told.size() == 2);
  CHECK(told[0] == "big: without user.big: value of an extended attribute: Argument list too long");
  CHECK(told[1] == "long: without " + long_name + ": name of an extended attribute: Numerical result out of range");
  CHECK(*image.paths().ReadFile("in/big") == "content");
  CHECK(Must(image.paths().Open("in/big")).attributes().modified.seconds == 100);
  CHECK(*image.paths().ReadFile("in/last") == "2");
  CHECK(Must(image.fs().GetXattr(Must(image.paths().Open("in/last")).inode(), "user.fits")).size() == 60000);
  // Without somebody to tell it ends.
  const ArchiveFile file(Finished(Extended(xattr + "user.big", std::string(70000, 'v')) + Member("big", '0')));
  CHECK(Errno(fs::ImportTar(&image.fs(), file.descriptor(), "other", {})) == E2BIG);
  image.Check();
}

constexpr char kList[] = "SCHILY.acl.access";

uint32_t PermissionsOf(Image& image, const std::string& path) {
  return Must(image.paths().Open(path)).attributes().permissions;
}

Texts XattrsOf(Image& image, const std::string& path) {
  return Must(image.fs().ListXattrs(Must(image.paths().Open(path)).inode()));
}

TEST_CASE("a file is unpacked without a list of somebody unknown, and gives nobody more", "[tools]") {
  Image image;
  const std::string unknown = "user::rw-,user:nobody-knows:rw-,";
  const Texts told = Unpack(
      image, Extended(kList, unknown + "group::---,mask::rw-,other::---") + Member("none", '0', "1") +
                 Extended(kList, unknown + "group::rw-,mask::r--,other::r--") + Member("masked", '0') +
                 Extended(kList, unknown + "user:7:---,group::rw-,mask::rw-,other::r--") + Member("denied", '0') +
                 Extended("SCHILY.acl.default", unknown + "group::---,mask::rw-,other::---") + Member("d", '5') +
                 Member("last", '0', "2"));
  REQUIRE(told.size() == 4);
  CHECK(told[0] == "none: without its access control list: this system has no user \"nobody-knows\"");
  CHECK(told[3] == "d: without its default access control list: this system has no user \"nobody-knows\"");
  CHECK(PermissionsOf(image, "in/none") == 0600);
  CHECK(PermissionsOf(image, "in/masked") == 0644);
  CHECK(PermissionsOf(image, "in/denied") == 0600);
  CHECK(PermissionsOf(image, "in/d") == 0644);
  for (const char* name : {"in/none", "in/masked", "in/denied", "in/d"}) CHECK(XattrsOf(image, name).empty());
  CHECK(*image.paths().ReadFile("in/none") == "1");
  CHECK(*image.paths().ReadFile("in/last") == "2");
  // Without somebody to tell it ends.
  const ArchiveFile file(Finished(Extended(kList, unknown + "group::---,mask::rw-,other::---") + Member("f", '0')));
  CHECK(Errno(fs::ImportTar(&image.fs(), file.descriptor(), "other", {})) == EINVAL);
  image.Check();
}

TEST_CASE("a file is unpacked without a list that is none, for its owner alone", "[tools]") {
  Image image;
  const Texts told = Unpack(image, Extended("SCHILY.xattr.system.posix_acl_access", "garbage") + Member("a", '0', "1") +
                                       Member("last", '0', "2"));
  REQUIRE(told.size() == 1);
  CHECK(told[0].starts_with("a: without its access control list: "));
  CHECK(PermissionsOf(image, "in/a") == 0600);
  CHECK(XattrsOf(image, "in/a").empty());
  CHECK(*image.paths().ReadFile("in/last") == "2");
  image.Check();
}

TEST_CASE("a file is unpacked without a list that is too long, and gives nobody more", "[tools]") {
  Image image;
  std::string list = "user::rw-,group::---,mask::rw-,other::r--";
  for (int id = 1000; id < 10'000; ++id) list += ",user:" + std::to_string(id) + ":-w-";
  const Texts told = Unpack(image, Extended(kList, list) + Member("a", '0') + Member("last", '0', "2"));
  CHECK(told == Texts{"a: without system.posix_acl_access: value of an extended attribute: Argument list too long"});
  CHECK(PermissionsOf(image, "in/a") == 0600);
  CHECK(*image.paths().ReadFile("in/last") == "2");
  image.Check();
}

std::string ManyXattrs(size_t count, size_t value_size) {
  std::string records;
  for (size_t i = 0; i < count; ++i) {
    const std::string name = "SCHILY.xattr.user." + std::to_string(1000 + i) + std::string(230, 'n');
    records += ExtendedRecord(name, std::string(value_size, 'v'));
  }
  return Member("PaxHeaders/x", 'x', records);
}

TEST_CASE("a file is unpacked without the extended attributes whose names are too many", "[tools]") {
  Image image;
  const Texts told = Unpack(image, ManyXattrs(300, 1) + Member("a", '0', "1") + Member("last", '0', "2"));
  CHECK(XattrsOf(image, "in/a").size() + told.size() == 300);
  REQUIRE_FALSE(told.empty());
  CHECK(told[0].ends_with(": names of extended attributes: No space left on device"));
  CHECK(*image.paths().ReadFile("in/last") == "2");
  image.Check();
}

TEST_CASE("a full store ends the unpacking of extended attributes", "[tools]") {
  ImageOptions small;
  small.size = MiB(16);
  small.compression = "none";
  Image image(small);
  std::string members;
  for (int i = 0; i < 60; ++i) members += ManyXattrs(10, 60'000) + Member("f" + std::to_string(i), '0');
  const ArchiveFile file(Finished(members));
  fs::CopyOptions options;
  options.gone_without = [](const absl::Status& status) { FAIL_CHECK(status); };
  CHECK(Errno(fs::ImportTar(&image.fs(), file.descriptor(), "in", options)) == ENOSPC);
}

}  // namespace
}  // namespace betr::test
