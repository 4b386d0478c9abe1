// SPDX-License-Identifier: Apache-2.0
// A full file system of small nodes. Single files of many clones are unlinked in any order until that is refused. Then
// clones can be removed as a whole all the same, although that is a batch to both trees.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cerrno>
#include <span>
#include <string>
#include <vector>

#include "base/random.h"
#include "support/fs/image.h"

namespace betr::test {
namespace {

constexpr int kFiles = 400;
constexpr int kRefusals = 4;

std::string FileName(int number) { return fmt::format("d/f{:04}", number); }
std::string CloneName(int number) { return fmt::format("snaps/c{:03}", number); }

// Returns the number of clones for which there was space. Between them some files change.
int Fill(Image& image, Random& random) {
  constexpr int kChanges = 5;
  PathFileSystem& paths = image.paths();
  REQUIRE(paths.MakeDirectory("d").ok());
  REQUIRE(paths.MakeDirectory("snaps").ok());
  for (int i = 0; i < kFiles; ++i) REQUIRE(paths.WriteFile(FileName(i), random.String(300)).ok());
  REQUIRE(image.fs().Sync().ok());
  int clones = 0;
  for (; paths.Clone("d", CloneName(clones)).ok(); ++clones) {
    for (int i = 0; i < kChanges; ++i) {
      const std::string name = FileName(static_cast<int>(random.Uniform(kFiles)));
      paths.WriteFile(name, random.String(300)).IgnoreError();
    }
  }
  for (int i = 0; paths.WriteFile(fmt::format("fill{:05}", i), random.String(4000)).ok();) ++i;
  for (int i = 0; paths.WriteFile(fmt::format("little{:05}", i), random.String(100)).ok();) ++i;
  return clones;
}

void UnlinkUntilRefused(Image& image, Random& random, int clones) {
  std::vector<std::string> names;
  for (int clone = 0; clone < clones; ++clone) {
    for (int i = 0; i < kFiles; ++i) names.push_back(fmt::format("{}/f{:04}", CloneName(clone), i));
  }
  random.Shuffle(std::span<std::string>(names));
  int refusals = 0;
  for (const std::string& name : names) {
    const absl::Status unlinked = image.paths().Unlink(name);
    if (unlinked.ok()) continue;
    INFO(unlinked);
    REQUIRE(Errno(unlinked) == ENOSPC);
    if (++refusals == kRefusals) return;
  }
  FAIL("there was space to remember all that is gone: a test of nothing");
}

}  // namespace

TEST_CASE("clones go as a whole when no more of their single files do", "[fs][full]") {
  for (const uint64_t seed : {5, 7}) {
    INFO("seed " << seed);
    ImageOptions options;
    options.size = MiB(6);
    Image image(options);
    Random random(seed);
    const int clones = Fill(image, random);
    REQUIRE(clones > 10);
    UnlinkUntilRefused(image, random, clones);
    REQUIRE(image.fs().Sync().ok());
    for (int clone = 0; clone < clones; ++clone) {
      const absl::Status removed = image.paths().RemoveTree(CloneName(clone));
      INFO(removed);
      REQUIRE(removed.ok());
    }
    image.Check();
  }
}

}  // namespace betr::test
