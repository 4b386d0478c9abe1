// SPDX-License-Identifier: Apache-2.0
#include "location.h"

#include <catch2/catch.hpp>

namespace betr::tools {
namespace {

TEST_CASE("a colon says that an operand is inside an image") {
  const Location by_option = ParseLocation(":/a/b");
  CHECK(by_option.is_inside);
  CHECK(by_option.image.empty());
  CHECK(by_option.path == "/a/b");

  const Location relative = ParseLocation(":a");
  CHECK(relative.is_inside);
  CHECK(relative.path == "a");

  const Location named = ParseLocation("../x.img:/a:/b");
  CHECK(named.is_inside);
  CHECK(named.image == "../x.img");
  CHECK(named.path == "/a:/b");

  for (const char* host : {"a", "/a/b", "-", "a:b", "a/b:c"}) {
    INFO(host);
    CHECK_FALSE(ParseLocation(host).is_inside);
    CHECK(ParseLocation(host).path == host);
  }
}

TEST_CASE("commands take paths without a colon") {
  CHECK(ParseInside("a/b").is_inside);
  CHECK(ParseInside("a/b").path == "a/b");
  CHECK(ParseInside("a:b").path == "a:b");
  CHECK(ParseInside(":/a").path == "/a");
  CHECK(ParseInside("x.img:/a").image == "x.img");
  CHECK(ParseInside("a").is_bare);
  CHECK_FALSE(ParseInside(":a").is_bare);
  CHECK_FALSE(ParseInside("x.img:/a").is_bare);
}

TEST_CASE("a copy gets the last name of its source") {
  CHECK(CopyName("a") == "a");
  CHECK(CopyName("/a/b/") == "b");
  CHECK(CopyName("b//") == "b");
  for (const char* content : {"", "/", ".", "..", "a/.", "a/./", "a/.."}) {
    INFO(content);
    CHECK(CopyName(content).empty());
  }
}

TEST_CASE("paths are joined and made normal") {
  CHECK(JoinPath("a", "b") == "a/b");
  CHECK(JoinPath("a/", "b") == "a/b");
  CHECK(JoinPath("/", "b") == "/b");
  CHECK(JoinPath("", "b") == "b");
  CHECK(JoinPath("a", "") == "a");
  CHECK(NormalPath("/a//b/./c/../") == "a/b");
  CHECK(NormalPath("/../a") == "a");
  CHECK(NormalPath("/").empty());
}

TEST_CASE("a slash or a dot at the end means a directory") {
  for (const char* path : {"a/", "/", "a/.", ".", "a//", "/."}) CHECK(MeansDirectory(path));
  for (const char* path : {"", "a", "a/b", "a/..", "a.", "a/b.", "/.a"}) CHECK_FALSE(MeansDirectory(path));
}

TEST_CASE("within is by whole components") {
  CHECK(IsWithin("/a/b", "a"));
  CHECK(IsWithin("a", "/a/"));
  CHECK(IsWithin("b/../a/c", "a"));
  CHECK(IsWithin("a", "/"));
  CHECK_FALSE(IsWithin("ab", "a"));
  CHECK_FALSE(IsWithin("a", "a/b"));
  CHECK_FALSE(IsWithin("a/../b", "a"));
}

}  // namespace
}  // namespace betr::tools
