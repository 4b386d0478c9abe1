// SPDX-License-Identifier: Apache-2.0
#include "fs/transfer/exclusions.h"

#include <absl/strings/str_split.h>

#include <catch2/catch.hpp>
#include <clocale>
#include <string>
#include <string_view>
#include <vector>

namespace betr::fs {
namespace {

struct Case {
  std::string_view pattern;
  std::string_view excluded;  // paths; a slash at the end: a directory
  std::string_view copied;
};

std::vector<std::string> Words(std::string_view text) {
  return absl::StrSplit(std::string(text), ' ', absl::SkipEmpty());
}

bool Excludes(const Exclusions& exclusions, std::string_view path) {
  const bool is_directory = path.ends_with('/');
  return exclusions.Excludes(path.substr(0, path.size() - (is_directory ? 1 : 0)),
                             is_directory ? FileType::kDirectory : FileType::kRegular);
}

}  // namespace

TEST_CASE("names are bytes in any locale", "[exclude]") {
  const locale_t characters = newlocale(LC_ALL_MASK, "C.UTF-8", locale_t{});
  REQUIRE(characters != locale_t{});
  const locale_t before = uselocale(characters);
  Exclusions exclusions;
  REQUIRE(exclusions.Add("\xff?").ok());
  REQUIRE(exclusions.Add("u??").ok());
  CHECK(Excludes(exclusions, "\xff\xfe"));
  CHECK(Excludes(exclusions, "u\u00fc"));
  CHECK_FALSE(Excludes(exclusions, "u\u00fc\u00fc"));
  CHECK(uselocale(locale_t{}) == characters);
  uselocale(before);
  freelocale(characters);
}

TEST_CASE("patterns of names that are left out", "[exclude]") {
  const auto& [pattern, excluded, copied] = GENERATE(values<Case>({
      {"*.o", "a.o x/a.o .o x/y/.o d.o/", "o a.oo a.o/x ao"},
      {"a", "a x/a a/ x/a/", "ab a/b A"},
      {"?", "a x/a", "ab x/ab"},
      {"[ab]c", "ac x/bc", "cc abc"},
      {"a/", "a/ x/a/", "a x/a a/b"},
      {"/a", "a a/", "x/a a/a"},
      {"/a/", "a/", "a x/a/"},
      {"a/b", "a/b x/a/b x/a/b/", "b a x/b a/x/b a/b/x"},
      {"/a/b", "a/b", "x/a/b a/x/b"},
      {"/a/*", "a/b a/.b a/b/", "a/b/c a/ b"},
      {"*/b", "a/b x/a/b", "b"},
      {"/*/b", "a/b", "b x/a/b"},
      {"a/**/b", "a/b a/x/b a/x/y/b z/a/x/b", "b x/b a/bb"},
      {"/a/**/b", "a/b a/x/y/b", "z/a/b"},
      {"a/**", "a/b a/x/b x/a/b/", "a a/ b"},
      {"**/b", "b a/b a/x/b", "b/x"},
      {"**", "a a/b", ""},
      {"\\*", "* a/*", "a"},
      {"\xff?", "\xff\xfe x/\xff\x01", "\xff \xfe\xff"},
  }));
  Exclusions exclusions;
  REQUIRE(exclusions.Empty());
  REQUIRE(exclusions.Add(pattern).ok());
  CHECK_FALSE(exclusions.Empty());
  CAPTURE(pattern);
  for (const std::string& path : Words(excluded)) {
    CAPTURE(path);
    CHECK(Excludes(exclusions, path));
  }
  for (const std::string& path : Words(copied)) {
    CAPTURE(path);
    CHECK_FALSE(Excludes(exclusions, path));
  }
}

TEST_CASE("each pattern excludes, and directories what is below them", "[exclude]") {
  Exclusions exclusions;
  REQUIRE(exclusions.Add("cache/").ok());
  REQUIRE(exclusions.Add("*.o").ok());
  CHECK(exclusions.ExcludesWithParents("cache/x/y", FileType::kRegular));
  CHECK(exclusions.ExcludesWithParents("a/cache/y", FileType::kRegular));
  CHECK(exclusions.ExcludesWithParents("a/b.o", FileType::kRegular));
  CHECK(exclusions.ExcludesWithParents("a.o/b", FileType::kRegular));
  CHECK_FALSE(exclusions.ExcludesWithParents("a/cache", FileType::kRegular));
  CHECK_FALSE(exclusions.ExcludesWithParents("a/b", FileType::kRegular));
}

TEST_CASE("a pattern that no name can be like is refused", "[exclude]") {
  const std::string pattern = GENERATE("", "/", "//", ".", "./a", "a/../b", "..");
  Exclusions exclusions;
  CAPTURE(pattern);
  CHECK(absl::IsInvalidArgument(exclusions.Add(pattern)));
  CHECK(exclusions.Empty());
}

}  // namespace betr::fs
