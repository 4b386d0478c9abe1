// SPDX-License-Identifier: Apache-2.0
// Positions in a directory: chunks, seeks, changes in between, and what is remembered.
#include "betr/directory_stream.h"

#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cerrno>
#include <set>

#include "base/random.h"
#include "support/fs/image.h"
#include "support/seed.h"

namespace betr::test {

TEST_CASE("a stream gives every entry once, whatever the chunks", "[fs]") {
  Image image;
  Random random(TestSeed());
  std::set<std::string> names = {".", ".."};
  REQUIRE(image.paths().MakeDirectory("d").ok());
  for (int i = 0; i < 200; ++i) {
    const std::string name = "n" + std::to_string(random.Uniform(100000));
    if (names.insert(name).second) REQUIRE(image.paths().WriteFile("d/" + name, "x").ok());
  }
  const OpenFile directory = *image.paths().Open("d");
  for (const uint64_t chunk : {1, 2, 3, 50, 1000}) {
    DirectoryStream stream(&image.fs(), directory.inode());
    std::vector<std::string> seen;
    uint64_t position = 0;
    bool more = true;
    while (more) {
      more = false;
      uint64_t left = chunk;
      REQUIRE(stream
                  .Read(position,
                        [&](const DirectoryStream::Item& item) {
                          if (left-- == 0) return false;
                          seen.emplace_back(item.name);
                          position = item.next;
                          more = true;
                          return true;
                        })
                  .ok());
    }
    CHECK(seen.size() == names.size());
    CHECK(std::set<std::string>(seen.begin(), seen.end()) == names);
  }
}

TEST_CASE("positions survive inserts, deletes and seeks", "[fs]") {
  Image image;
  Random random(TestSeed());
  REQUIRE(image.paths().MakeDirectory("d").ok());
  std::set<std::string> always;
  for (int i = 0; i < 60; ++i) {
    always.insert("k" + std::to_string(100 + i));
    REQUIRE(image.paths().WriteFile("d/k" + std::to_string(100 + i), "").ok());
    REQUIRE(image.paths().WriteFile("d/x" + std::to_string(100 + i), "").ok());
  }
  const OpenFile directory = *image.paths().Open("d");
  DirectoryStream stream(&image.fs(), directory.inode());
  std::multiset<std::string> seen;
  std::vector<uint64_t> positions;
  uint64_t position = 0;
  for (bool more = true; more;) {
    more = false;
    const uint64_t before = position;
    REQUIRE(stream
                .Read(position,
                      [&](const DirectoryStream::Item& item) {
                        if (more) return false;
                        more = true;
                        seen.emplace(item.name);
                        position = item.next;
                        return true;
                      })
                .ok());
    if (more) positions.push_back(before);
    const std::string changed = "d/x" + std::to_string(100 + random.Uniform(60));
    if (random.OneIn(2)) {
      image.paths().Unlink(changed).IgnoreError();
    } else {
      REQUIRE(image.paths().WriteFile("d/n" + std::to_string(random.Uniform(1000)), "").ok());
    }
  }
  for (const std::string& name : always) CHECK(seen.count(name) == 1);
  // Any position leads back to where it was: what stayed and lies behind comes again.
  for (const uint64_t from : positions) {
    std::vector<std::string> rest;
    const absl::Status read = stream.Read(from, [&](const DirectoryStream::Item& item) {
      if (item.next > 2) rest.emplace_back(item.name);
      return true;
    });
    REQUIRE(read.ok());
    CHECK(std::is_sorted(rest.begin(), rest.end()));
    for (const std::string& name : always) {
      if (!rest.empty() && name >= rest.front()) CHECK(std::count(rest.begin(), rest.end(), name) == 1);
    }
  }
  CHECK(Errno(stream.Read(1'000'000, [](const auto&) { return true; })) == EINVAL);
}

TEST_CASE("a stream that is read again and again does not remember all of it", "[fs]") {
  Image image;
  PathFileSystem& paths = image.paths();
  REQUIRE(paths.MakeDirectory("d").ok());
  constexpr int kNames = 2000;
  for (int i = 0; i < kNames; ++i) REQUIRE(paths.WriteFile(fmt::format("d/{:0240}", i), "").ok());
  const OpenFile directory = *paths.Open("d");
  DirectoryStream stream(&image.fs(), directory.inode());
  uint64_t farthest = 0;
  bool forgotten = false;
  for (int round = 0; round < 80 && !forgotten; ++round) {  // in each of which all names behind the new one are new
    REQUIRE(paths.WriteFile(fmt::format("d/!{}", round), "").ok());
    uint64_t last = 0;
    const absl::Status read = stream.Read(0, [&](const DirectoryStream::Item& item) {
      last = item.next;
      return true;
    });
    REQUIRE(read.ok());
    forgotten = last < farthest;
    farthest = std::max(farthest, last);
  }
  REQUIRE(forgotten);
  CHECK(Errno(stream.Read(farthest, [](const DirectoryStream::Item&) { return true; })) == EINVAL);
}

}  // namespace betr::test
