// SPDX-License-Identifier: Apache-2.0
// Inode numbers that a repair gives are those of nothing else, also where the bound of numbers is lost, or an older one
// shows.
#include <catch2/catch.hpp>
#include <map>
#include <string>

#include "fs/key.h"
#include "fs/record.h"
#include "support/fs/planted.h"
#include "support/must.h"

namespace betr::test {
namespace {

using planted::Damage;
using planted::Repair;
using planted::Trees;
namespace key = fs::key;

// By number: what has it. Fails the test where two have one.
std::map<uint64_t, std::string> Numbers(Image& image) {
  std::map<uint64_t, std::string> numbers;
  Must(image.paths().Walk("", [&](const std::string& path, const FileAttributes& attributes) {
    const auto [other, is_new] = numbers.emplace(attributes.inode_number, path);
    INFO(path << " and " << other->second << ": " << attributes.inode_number);
    CHECK((is_new || attributes.links > 1));
    CHECK((is_new || attributes.type != FileType::kDirectory));
    return absl::OkStatus();
  }));
  return numbers;
}

TEST_CASE("directories that are made anew have numbers of their own", "[fs]") {
  Image image;
  for (const char* const name : {"a", "b", "c"}) Must(image.paths().MakeDirectory(name));
  Must(image.paths().WriteFile("a/f", "first"));
  Must(image.paths().MakeDirectories("b/s/t"));
  Must(image.paths().MakeDirectories("c/u"));
  Must(image.paths().Clone("c", "b/clone"));
  image.Unmount();
  const bool is_older = GENERATE(false, true);
  Damage(image, [&](const Trees& trees) {
    // As a first leaf has them.
    Must(trees.store.EraseRange(trees.meta, {Range::All().lo, Bound::At("a")}));
    if (is_older) Must(trees.store.Put(trees.meta, key::kNumberBoundKey, fs::EncodeNumberBound(4)));
  });
  Repair(image);
  CHECK(image.paths().Exists("b/s/t").value());
  CHECK(image.paths().Exists("c/u").value());
  Numbers(image);
  Must(image.paths().MakeDirectory("d"));
  Numbers(image);
}

// Programs that copy trees take files of one number for names of one file.
TEST_CASE("a clone whose directory is made anew has other numbers than its source", "[fs]") {
  Image image;
  Must(image.paths().MakeDirectories("a/s"));
  Must(image.paths().WriteFile("a/s/f", "first"));
  Must(image.paths().Link("a/s/f", "a/s/g"));
  const bool is_nested = GENERATE(false, true);
  const std::string clone = is_nested ? "b/clone" : "b";
  if (is_nested) Must(image.paths().MakeDirectory("b"));
  Must(image.paths().Clone("a", clone));
  Must(image.paths().WriteFile(clone + "/s/f", "other"));
  image.Unmount();
  Damage(image, [&](const Trees& trees) {
    Must(trees.store.EraseRange(trees.meta, Range::Prefix(key::Content("", ""))));
    if (is_nested) Must(trees.store.Erase(trees.meta, key::Entry(key::Content("", "b"), "clone")));
  });
  Repair(image);
  CHECK(image.paths().ReadFile("a/s/g").value() == "first");
  CHECK(image.paths().ReadFile(clone + "/s/g").value() == "other");
  CHECK(image.paths().Stat("a/s/g")->inode_number == image.paths().Stat("a/s/f")->inode_number);
  CHECK(image.paths().Stat("a/s/g")->inode_number != image.paths().Stat(clone + "/s/g")->inode_number);
}

}  // namespace
}  // namespace betr::test
