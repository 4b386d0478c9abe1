// SPDX-License-Identifier: Apache-2.0
// The key schema: order, prefixes, and that every key can be taken apart again.
#include "fs/key.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <vector>

#include "base/random.h"
#include "support/seed.h"

namespace betr::fs {
namespace {

using std::string_literals::operator""s;
using Kind = key::MetaKey::Kind;

TEST_CASE("keys are those of the examples", "[fs]") {
  const std::string usr = key::Content("", "usr");
  const std::string lib = key::Content(usr, "lib");
  CHECK(usr == "usr\0"s);
  CHECK(lib == "usr\0lib\0"s);
  CHECK(key::Entry("", "usr") == "\0usr"s);
  CHECK(key::Entry(lib, "libc.so") == "usr\0lib\0\0libc.so"s);
  CHECK(key::Block(key::Entry(lib, "libc.so"), 3) == "usr\0lib\0\0libc.so\0\0\0\0\0\0\0\0\3"s);
  CHECK(key::Xattr(key::Entry(lib, "libc.so"), "user.note") == "usr\0lib\0\0libc.so\0xuser.note"s);
  CHECK(key::Group(usr, 5) == "usr\0/i\0\0\0\0\0\0\0\5"s);
  CHECK(key::GroupName(usr, "lib\0\0libc.so"s) == "usr\0/nlib\0\0libc.so"s);
  CHECK(key::Orphan(7) == "//o\0\0\0\0\0\0\0\7"s);
  const std::string zone = key::Zone(6);
  CHECK(key::Entry(key::Content(zone, "lib"), "libc.so") == "/z\0\0\0\0\0\0\0\6\0lib\0\0libc.so"s);
  CHECK(key::Zone(0).empty());
}

TEST_CASE("names in zones are listed whole, others relative to their home", "[fs]") {
  const std::string entry = key::Entry(key::Content(key::Zone(6), "lib"), "libc.so");
  CHECK(key::Relative(key::Zone(6), entry) == "lib\0\0libc.so"s);
  for (const std::string& home : {""s, "usr\0"s, key::Zone(7)}) {
    CHECK(key::Relative(home, entry) == entry);
    CHECK(key::Absolute(home, entry) == entry);
    CHECK(key::Absolute(home, "lib\0\0libc.so"s) == home + "lib\0\0libc.so"s);
    CHECK(key::ParseMeta(key::GroupName(home, entry))->relative == entry);
  }
  CHECK_FALSE(key::ParseMeta(key::GroupName(key::Zone(6), entry)));
}

TEST_CASE("the way to a content prefix", "[fs]") {
  const std::string content = key::Content(key::Content(key::Zone(0x6100000000), "usr"), "lib");
  CHECK(key::ZoneOf(content) == 0x6100000000);
  CHECK(key::InZone(content) == "usr\0lib\0"s);
  CHECK(key::OutOfZone(content) == "zone-416611827712\0usr\0lib\0"s);
  std::vector<size_t> ends;
  for (size_t end = 0; end < content.size(); ends.push_back(end)) end = key::NextContent(content, end);
  CHECK(ends == std::vector<size_t>{11, 15, 19});
  CHECK(key::NextContent("usr\0lib\0"s, 0) == 4);
  CHECK(key::NextContent("", 0) == 0);
  for (const std::string& none : {""s, "/"s, "/z"s, "/z1234567"s, "/z12345678"s, "/z12345678x"s, "z12345678\0"s}) {
    CHECK(key::ZoneOf(none) == 0);
    CHECK(key::InZone(none) == none);
  }
}

TEST_CASE("entries of a directory come first, then each subtree", "[fs]") {
  const std::string usr = key::Content("", "usr");
  const std::vector<std::string> keys = {
      key::Entry("", "bin"),
      key::Entry("", "usr"),
      key::Entry("", "usr-local"),
      key::Entry(usr, "lib"),
      key::Entry(usr, "sbin"),
      key::Entry(key::Content(usr, "lib"), "libc.so"),
      key::Entry(key::Content(usr, "sbin"), "x"),
      key::Entry(key::Content("", "usr-local"), "y"),
  };
  CHECK(std::is_sorted(keys.begin(), keys.end()));
}

TEST_CASE("the range of a directory's content holds its subtree and nothing else", "[fs]") {
  const std::string a = key::Content("", "a");
  const Range range = Range::Prefix(a);
  CHECK(range.Contains(key::Entry(a, "x")));
  CHECK(range.Contains(key::Entry(key::Content(a, "b"), "x")));
  CHECK(range.Contains(key::Group(a, 1)));
  CHECK_FALSE(range.Contains(key::Entry("", "a")));
  CHECK_FALSE(range.Contains(key::Entry(key::Content("", "ab"), "x")));
  CHECK_FALSE(range.Contains(key::Entry(key::Content("", "a\1"), "x")));
  const Range entries = key::Entries(a);
  CHECK(entries.Contains(key::Entry(a, "x")));
  CHECK(entries.Contains(key::Entry(a, "\xff")));
  CHECK_FALSE(entries.Contains(key::Entry(key::Content(a, "x"), "y")));
  CHECK_FALSE(entries.Contains(key::GroupName(a, key::Entry("", "y"))));
  const Range after = key::EntriesAfter(a, "m");
  CHECK_FALSE(after.Contains(key::Entry(a, "m")));
  CHECK(after.Contains(key::Entry(a, "m\1")));
  CHECK(after.Contains(key::Entry(a, "ma")));
  CHECK_FALSE(after.Contains(key::Entry(a, "l\xff")));
}

TEST_CASE("what belongs to an object has its prefix, and that of no other", "[fs]") {
  const std::string object = key::Entry("", "a");
  const Range attachments = Range::Prefix(key::Attachments(object));
  CHECK(attachments.Contains(key::Block(object, 0)));
  CHECK(attachments.Contains(key::Block(object, 0xffffffff)));
  CHECK(attachments.Contains(key::Xattr(object, "user.x")));
  CHECK_FALSE(attachments.Contains(key::Block(key::Entry("", "a\1"), 0)));
  CHECK_FALSE(attachments.Contains(key::Block(key::Entry(key::Content("", "a"), "b"), 0)));
  CHECK(key::Blocks(object, 2, 4).Contains(key::Block(object, 3)));
  CHECK_FALSE(key::Blocks(object, 2, 4).Contains(key::Block(object, 4)));
  CHECK_FALSE(key::BlocksFrom(object, 0).Contains(key::Xattr(object, "user.x")));
}

std::string RandomName(Random* random) {
  std::string name;
  do {
    name = random->String(1 + random->Uniform(6));
  } while (!key::ValidName(name));
  return name;
}

TEST_CASE("random keys are taken apart as they were put together", "[fs]") {
  Random random(TestSeed());
  for (int round = 0; round < 3000; ++round) {
    std::string content = key::Zone(random.OneIn(2) ? random.Next() : 0);
    for (uint64_t depth = random.Uniform(4); depth > 0; --depth) content = key::Content(content, RandomName(&random));
    const std::string name = RandomName(&random);
    const uint64_t id = random.Next();
    const std::string entry = key::Entry(content, name);

    const auto parsed = key::ParseMeta(entry);
    REQUIRE(parsed);
    REQUIRE(parsed->kind == Kind::kEntry);
    REQUIRE(parsed->content == content);
    REQUIRE(parsed->name == name);

    const std::string group_key = key::Group(content, id);
    const auto group = key::ParseMeta(group_key);
    REQUIRE(group);
    REQUIRE(group->kind == Kind::kGroup);
    REQUIRE(group->content == content);
    REQUIRE(group->id == id);

    const std::string listed_key = key::GroupName(content, key::Relative(content, entry));
    const auto listed = key::ParseMeta(listed_key);
    REQUIRE(listed);
    REQUIRE(listed->kind == Kind::kGroupName);
    REQUIRE(listed->content == content);
    REQUIRE(key::Absolute(content, listed->relative) == entry);

    for (const std::string& object : {entry, group_key, key::Orphan(id)}) {
      const uint64_t number = random.Next() >> 32;
      const std::string block_key = key::Block(object, number);
      const auto block = key::ParseData(block_key);
      REQUIRE(block);
      REQUIRE(block->object == object);
      REQUIRE_FALSE(block->is_xattr);
      REQUIRE(block->block == number);
      const std::string xattr_key = key::Xattr(object, name);
      const auto xattr = key::ParseData(xattr_key);
      REQUIRE(xattr);
      REQUIRE(xattr->object == object);
      REQUIRE(xattr->xattr == name);
    }
  }
}

TEST_CASE("what no key can be is refused, whatever the bytes", "[fs]") {
  for (const std::string& bad : {""s,
                                 "a"s,
                                 "a\0"s,
                                 "\0"s,
                                 "\0.."s,
                                 "\0a/b"s,
                                 "/"s,
                                 "/q"s,
                                 "/i1"s,
                                 "/n"s,
                                 "/na"s,
                                 "/z"s,
                                 "/z12345678"s,
                                 "/z12345678\0"s,
                                 "/z12345678x\0a"s,
                                 "a\0/z12345678\0\0b"s,
                                 "//"s,
                                 "//x"s,
                                 "//ee"s,
                                 "//o1"s,
                                 "a/b\0\0c"s,
                                 ".\0\0c"s}) {
    CHECK_FALSE(key::ParseMeta(bad));
    CHECK_FALSE(key::ParseData(bad));
  }
  Random random(TestSeed());
  for (int round = 0; round < 20000; ++round) {
    std::string bytes = random.String(random.Uniform(14));
    for (char& byte : bytes) {
      if (random.OneIn(2)) byte = "\0/ain"[random.Uniform(5)];
    }
    key::ParseMeta(bytes);
    key::ParseData(bytes);
  }
}

TEST_CASE("keys as paths", "[fs]") {
  CHECK(key::PathOfContent("") == "");
  CHECK(key::PathOfContent("usr\0lib\0"s) == "usr/lib");
  CHECK(key::PathOfObject("\0usr"s) == "usr");
  CHECK(key::PathOfObject("usr\0lib\0\0libc.so"s) == "usr/lib/libc.so");
  CHECK(key::PathOfObject(key::kRootObject) == "//r");
  CHECK(key::PathOfContent(key::Zone(6)) == "zone-6");
  CHECK(key::PathOfObject(key::Entry(key::Content(key::Zone(6), "lib"), "libc.so")) == "zone-6/lib/libc.so");
}

}  // namespace
}  // namespace betr::fs
