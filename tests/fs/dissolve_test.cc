// SPDX-License-Identifier: Apache-2.0
// Link homes that are dissolved, also half-way: when the space ends, or with more names than a batch takes.
#include <absl/strings/str_format.h>

#include <catch2/catch.hpp>
#include <cerrno>
#include <string>

#include "base/random.h"
#include "fs/check/check.h"
#include "fs/key.h"
#include "support/fs/image.h"
#include "support/seed.h"

namespace betr::test {
namespace {

namespace key = fs::key;

constexpr int kFiles = 1500;

ImageOptions SmallImage() {
  ImageOptions options;
  options.size = MiB(12);
  options.node_size = KiB(16);
  options.log_size = MiB(1);
  options.compression = "none";
  return options;
}

std::string File(const std::string& directory, char kind, int number) {
  return absl::StrFormat("%s/%c%05d", directory, kind, number);
}

// Files with two names each, f and g.
void MakeLinks(PathFileSystem& paths, const std::string& directory, int files) {
  REQUIRE(paths.MakeDirectories(directory).ok());
  for (int i = 0; i < files; ++i) {
    REQUIRE(paths.WriteFile(File(directory, 'f', i), "as it was").ok());
    REQUIRE(paths.Link(File(directory, 'f', i), File(directory, 'g', i)).ok());
  }
}

// Writes files of so many bytes below a directory until there is no space.
void Fill(Image& image, const std::string& directory, size_t size) {
  Random random(TestSeed());
  absl::Status end;
  for (int i = 0; end.ok(); ++i) {
    end = image.paths().WriteFile(absl::StrFormat("%s/%u-%d", directory, size, i), random.String(size));
  }
  INFO(end);
  REQUIRE(Errno(end) == ENOSPC);
}

// How many groups a home with this content prefix has now.
int GroupsIn(Image& image, const std::string& content) {
  image.Unmount();
  const std::unique_ptr<Store> store = image.OpenStore(true);
  const auto cursor = store->NewCursor(*store->FindTree(kMetaTree), Range::Prefix(key::Groups(content))).value();
  int count = 0;
  for (cursor->SeekToFirst(); cursor->Valid(); cursor->Next()) ++count;
  REQUIRE(cursor->status().ok());
  return count;
}

int GroupsOf(Image& image, const std::string& home_at_root) { return GroupsIn(image, key::Content("", home_at_root)); }

// Gives a file so many names in a directory that its group is more than a batch.
void LinkOften(PathFileSystem& paths, const std::string& file, const std::string& directory, int names) {
  for (int i = 0; i < names; ++i) {
    REQUIRE(paths.Link(file, absl::StrFormat("%s/%s%05d", directory, std::string(100, 'n'), i)).ok());
  }
}

// `H` is a clone of `src`, and was half dissolved when the space ended. There is space again.
void Interrupt(Image& image) {
  PathFileSystem& paths = image.paths();
  MakeLinks(paths, "src/sub", kFiles);
  REQUIRE(paths.Clone("src", "H").ok());
  REQUIRE(paths.MakeDirectory("out").ok());
  REQUIRE(paths.MakeDirectory("keep").ok());
  for (const size_t size : {65536, 4096, 0}) Fill(image, "keep", size);
  REQUIRE(paths.Unlink("keep/65536-0").ok());
  REQUIRE(image.fs().Sync().ok());
  REQUIRE(Errno(paths.Rename("H/sub/f00000", "out/f")) == ENOSPC);
  REQUIRE(paths.RemoveTree("keep").ok());
  const int left = GroupsOf(image, "H");
  INFO(left << " groups are left");
  REQUIRE(left > 0);
  REQUIRE(left < kFiles);
}

// All files of a directory have both names, and none of them is one of `other`.
void RequireLinks(PathFileSystem& paths, const std::string& directory, const std::string& other) {
  for (int i = 0; i < kFiles; ++i) {
    INFO(File(directory, 'f', i));
    const FileAttributes attributes = paths.Stat(File(directory, 'f', i)).value();
    REQUIRE(attributes.links == 2);
    REQUIRE(paths.Stat(File(directory, 'g', i))->inode_number == attributes.inode_number);
    REQUIRE(paths.Stat(File(other, 'f', i))->inode_number != attributes.inode_number);
  }
  REQUIRE(paths.WriteFile(File(directory, 'f', kFiles - 1), "changed").ok());
  REQUIRE(*paths.ReadFile(File(directory, 'g', kFiles - 1)) == "changed");
  REQUIRE(*paths.ReadFile(File(other, 'f', kFiles - 1)) == "as it was");
  REQUIRE(paths.WriteFile(File(directory, 'f', kFiles - 1), "as it was").ok());
}

}  // namespace

TEST_CASE("a home that is half dissolved is as good as another", "[fs]") {
  Image image(SmallImage());
  Interrupt(image);
  image.Check();
  RequireLinks(image.paths(), "H/sub", "src/sub");

  SECTION("a clone of it, and of what is in it, shares nothing with it") {
    REQUIRE(image.paths().Clone("H", "C").ok());
    REQUIRE(image.paths().Clone("H/sub", "D").ok());
    RequireLinks(image.paths(), "C/sub", "H/sub");
    RequireLinks(image.paths(), "D", "H/sub");
    RequireLinks(image.paths(), "H/sub", "C/sub");
  }
  SECTION("a clone of what it is in") {
    REQUIRE(image.paths().MakeDirectory("above").ok());
    REQUIRE(image.paths().Rename("H", "above/H").ok());
    REQUIRE(image.paths().Clone("above", "C").ok());
    RequireLinks(image.paths(), "C/H/sub", "above/H/sub");
  }
  SECTION("a rename") {
    REQUIRE(image.paths().Rename("H", "H2").ok());
    RequireLinks(image.paths(), "H2/sub", "src/sub");
  }
  SECTION("a rename of what is in it") {
    REQUIRE(image.paths().Rename("H/sub", "out/sub").ok());
    RequireLinks(image.paths(), "out/sub", "src/sub");
  }
  SECTION("an exchange") {
    REQUIRE(image.paths().Rename("H", "src", RenameMode::kExchange).ok());
    RequireLinks(image.paths(), "src/sub", "H/sub");
    RequireLinks(image.paths(), "H/sub", "src/sub");
  }
  SECTION("new links in it, and out of it") {
    REQUIRE(image.paths().Link(File("H/sub", 'f', 0), "H/more").ok());
    REQUIRE(image.paths().Link(File("H/sub", 'f', kFiles - 1), "H/last").ok());
    REQUIRE(image.paths().Link(File("H/sub", 'f', 1), "out/f1").ok());
    REQUIRE(image.paths().Stat("H/more")->links == 3);
    REQUIRE(image.paths().Stat("H/last")->links == 3);
    REQUIRE(image.paths().Stat("out/f1")->links == 3);
  }
  SECTION("names that go, one by one") {
    for (int i = 0; i < kFiles; i += 2) REQUIRE(image.paths().Unlink(File("H/sub", 'g', i)).ok());
    for (int i = 0; i < kFiles; ++i) {
      REQUIRE(image.paths().Stat(File("H/sub", 'f', i))->links == static_cast<uint32_t>(1 + i % 2));
    }
  }
  SECTION("removing it") {
    REQUIRE(image.paths().RemoveTree("H").ok());
    REQUIRE(image.paths().Stat(File("src/sub", 'f', 0))->links == 2);
  }
  image.Check();
  REQUIRE(image.paths().Stat("out").ok());  // it is mounted again
}

TEST_CASE("a full image with a home that is half dissolved can be mounted, and emptied", "[fs]") {
  Image image(SmallImage());
  Interrupt(image);
  REQUIRE(image.paths().MakeDirectory("keep").ok());
  for (const size_t size : {65536, 4096, 0}) Fill(image, "keep", size);
  image.Check();
  REQUIRE(image.paths().RemoveTree("H").ok());
  image.Check();
}

TEST_CASE("a file with more names than a batch takes stays in its home", "[fs]") {
  Image image(SmallImage());
  constexpr uint32_t kNames = 3000;
  REQUIRE(image.paths().MakeDirectory("src").ok());
  REQUIRE(image.paths().MakeDirectory("out").ok());
  REQUIRE(image.paths().WriteFile("src/many", "x").ok());
  for (uint32_t i = 1; i < kNames; ++i) REQUIRE(image.paths().Link("src/many", absl::StrFormat("src/%05u", i)).ok());
  MakeLinks(image.paths(), "src/few", 1);
  REQUIRE(image.paths().Clone("src", "H").ok());
  for (const char* name : {"H/many", "H/few/f00000"}) {
    CHECK(Errno(image.paths().Rename(name, "out/f")) == EXDEV);
    CHECK(Errno(image.paths().Link(name, "out/f")) == EXDEV);
  }
  image.Check();
  CHECK(image.paths().Stat("H/many")->links == kNames);
  CHECK(image.paths().Stat("H/few/f00000")->links == 2);
  REQUIRE(image.paths().Rename("H/many", "H/renamed").ok());
  REQUIRE(image.paths().Clone("H", "C").ok());
  REQUIRE(image.paths().RemoveTree("H").ok());
  CHECK(image.paths().Stat("C/renamed")->links == kNames);
  image.Check();
}

TEST_CASE("a link that cannot leave all homes leaves none", "[fs]") {
  ImageOptions options;
  options.log_size = KiB(64);
  Image image(options);
  const std::string inner = key::Content(key::Content("", "outer"), "inner");
  MakeLinks(image.paths(), "few", 3);
  MakeLinks(image.paths(), "src", 1);
  REQUIRE(image.paths().Clone("src", "outer").ok());
  LinkOften(image.paths(), "outer/f00000", "outer", 120);
  REQUIRE(image.paths().Clone("few", "outer/inner").ok());
  CHECK(Errno(image.paths().Rename("outer/inner/f00000", "out")) == EXDEV);
  CHECK(GroupsIn(image, inner) == 3);
  CHECK(Errno(image.paths().Link("outer/inner/f00000", "out")) == EXDEV);
  CHECK(GroupsIn(image, inner) == 3);
  CHECK(Errno(image.paths().Rename("few/f00000", "outer/inner/f00000", RenameMode::kExchange)) == EXDEV);
  CHECK(GroupsIn(image, inner) == 3);
  REQUIRE(image.paths().Rename("outer/inner/f00000", "outer/out").ok());
  CHECK(GroupsIn(image, inner) == 0);
  image.Check();
}

TEST_CASE("a half dissolved home stays so if it cannot be moved", "[fs]") {
  Image image(SmallImage());
  Interrupt(image);
  constexpr int kMany = 800;
  PathFileSystem& paths = image.paths();
  MakeLinks(paths, "few", 1);
  REQUIRE(paths.Clone("few", "other").ok());
  SECTION("where another home cannot be dissolved") {
    LinkOften(paths, "other/f00000", "other", kMany);
    const int left = GroupsOf(image, "H");
    CHECK(Errno(image.paths().Rename("H", "other/H")) == EXDEV);
    CHECK(GroupsOf(image, "H") == left);
  }
  SECTION("and neither does what it is exchanged with") {
    LinkOften(paths, File("H/sub", 'f', kFiles - 1), "H", kMany);
    CHECK(Errno(paths.Rename("other/f00000", "H", RenameMode::kExchange)) == EXDEV);
    CHECK(GroupsOf(image, "other") == 1);
  }
  image.Check();
}

TEST_CASE("a clone of many links that finds no space leaves nothing behind", "[fs]") {
  Image image(SmallImage());
  MakeLinks(image.paths(), "big", 4000);
  MakeLinks(image.paths(), "other", 300);
  REQUIRE(image.paths().MakeDirectory("keep").ok());
  for (const size_t size : {65536, 4096}) Fill(image, "keep", size);
  REQUIRE(Errno(image.paths().Clone("big", "c")) == ENOSPC);
  REQUIRE(image.paths().RemoveTree("keep").ok());
  REQUIRE(image.paths().Clone("other", "d").ok());
  CHECK(image.paths().Stat("d/f00299")->links == 2);
  image.Check();
}

TEST_CASE("links with long names and large records are cloned and removed in batches that fit", "[fs]") {
  ImageOptions options;
  options.log_size = KiB(512);
  Image image(options);
  std::string deep;
  for (int i = 0; i < 8; ++i) deep += std::string(240, static_cast<char>('a' + i)) + "/";
  REQUIRE(image.paths().MakeDirectories(deep).ok());
  REQUIRE(image.paths().MakeDirectory("outside").ok());
  constexpr int kLinks = 250;
  for (int i = 0; i < kLinks; ++i) {
    const std::string file = absl::StrFormat("outside/%03d", i);
    REQUIRE(image.paths().WriteFile(file, "x").ok());
    const OpenFile open = image.paths().Open(file).value();
    for (char c = 'a'; c < 'i'; ++c) {
      REQUIRE(image.fs().SetXattr(open.inode(), "user." + std::string(240, c), "value", XattrMode::kAny).ok());
    }
    REQUIRE(image.paths().Link(file, deep + absl::StrFormat("%03d", i)).ok());
  }
  const std::string top = deep.substr(0, 240);
  REQUIRE(image.paths().Clone(top, "clone").ok());
  REQUIRE(image.paths().RemoveTree(top).ok());
  for (int i = 0; i < kLinks; ++i) CHECK(image.paths().Stat(absl::StrFormat("outside/%03d", i))->links == 1);
  image.Check();
}

TEST_CASE("a repair of very many link groups is written in batches that fit", "[fs]") {
  ImageOptions options;
  options.log_size = KiB(512);
  Image image(options);
  MakeLinks(image.paths(), "d", 4000);
  image.Unmount();
  {
    const std::unique_ptr<Store> store = image.OpenStore();
    const TreeId meta = *store->FindTree(kMetaTree);
    const std::string content = key::Content("", "d");
    REQUIRE(store->EraseRange(meta, key::Entries(content)).ok());
    REQUIRE(store->EraseRange(meta, Range::Prefix(key::GroupNames(""))).ok());
    const auto repaired = fs::RepairFileSystem(store.get(), {}, [](const fs::CheckFinding&) {});
    INFO(repaired.status());
    REQUIRE(repaired.ok());
    REQUIRE(repaired->findings == 0);
    REQUIRE(store->Close().ok());
  }
  image.Check();
}

}  // namespace betr::test
