// SPDX-License-Identifier: Apache-2.0
// Clones of files, of directories, of the root; numbers, isolation, cost. Links in clones: link_test.cc.
#include <catch2/catch.hpp>
#include <cerrno>
#include <set>

#include "support/fs/image.h"

namespace betr::test {
namespace {

void MakeTree(PathFileSystem& paths, const std::string& top) {
  REQUIRE(paths.MakeDirectories(top + "/sub/deep").ok());
  for (int i = 0; i < 40; ++i) {
    REQUIRE(paths.WriteFile(top + "/f" + std::to_string(i), std::string(100 * i, 'x')).ok());
    REQUIRE(paths.WriteFile(top + "/sub/deep/g" + std::to_string(i), "deep " + std::to_string(i)).ok());
  }
  REQUIRE(paths.MakeSymlink("sub", top + "/link").ok());
}

TEST_CASE("a clone of a file is a file of its own", "[fs]") {
  Image image;
  PathFileSystem& paths = image.paths();
  {
    const OpenFile file = *paths.Create("a", NewFile());
    REQUIRE(image.fs().SetXattr(file.inode(), "user.x", std::string(1000, 'v')).ok());
    REQUIRE(image.fs().Write(file.inode(), 0, std::string(10000, 'a')).ok());
  }
  image.Tick();
  REQUIRE(paths.Clone("a", "b").ok());
  const FileAttributes a = *paths.Stat("a");
  const FileAttributes b = *paths.Stat("b");
  CHECK(a.inode_number != b.inode_number);
  CHECK(b.size == 10000);
  CHECK(b.modified == a.modified);
  CHECK(b.changed > a.changed);
  CHECK(b.links == 1);
  REQUIRE(paths.WriteFile("a", "new").ok());
  CHECK(*paths.ReadFile("b") == std::string(10000, 'a'));
  CHECK(image.fs().GetXattr(paths.Open("b")->inode(), "user.x")->size() == 1000);
  CHECK(Errno(paths.Clone("a", "b")) == EEXIST);
  CHECK(Errno(paths.Clone("none", "c")) == ENOENT);
  CHECK(Errno(paths.Clone("a", "b/c")) == ENOTDIR);
  image.Check();
}

TEST_CASE("a clone of a directory is equal, then goes its own way", "[fs]") {
  Image image;
  PathFileSystem& paths = image.paths();
  MakeTree(paths, "t");
  const std::string before = Describe(paths, "t");
  REQUIRE(paths.Clone("t", "c").ok());
  CHECK(Describe(paths, "c") == before);
  REQUIRE(paths.WriteFile("c/f3", "changed").ok());
  REQUIRE(paths.RemoveTree("c/sub").ok());
  CHECK(Describe(paths, "t") == before);
  const std::string clone = Describe(paths, "c");
  REQUIRE(paths.WriteFile("t/sub/deep/new", "new").ok());
  REQUIRE(paths.Unlink("t/f5").ok());
  CHECK(Describe(paths, "c") == clone);
  CHECK(paths.Stat("")->links == 4);
  image.Check();
  CHECK(Describe(image.paths(), "c") == clone);
}

TEST_CASE("a clone into the own source, and of the root, is of the state before", "[fs]") {
  Image image;
  PathFileSystem& paths = image.paths();
  MakeTree(paths, "t");
  const std::string before = Describe(paths, "t");
  REQUIRE(paths.Clone("t", "t/sub/inner").ok());
  CHECK(Describe(paths, "t/sub/inner") == before);
  const std::string root = Describe(paths, "");
  REQUIRE(paths.Clone("", "t/root").ok());
  CHECK(Describe(paths, "t/root") == root);
  REQUIRE(paths.Clone("", "again").ok());
  CHECK(*paths.ReadFile("again/t/root/t/sub/inner/sub/deep/g7") == "deep 7");
  CHECK(Errno(paths.Stat("again/again")) == ENOENT);
  image.Check();
  REQUIRE(image.paths().RemoveTree("t").ok());
  CHECK(*image.paths().ReadFile("again/t/root/t/sub/inner/sub/deep/g7") == "deep 7");
  image.Check();
}

TEST_CASE("what holds clones of itself is cloned and moved without reading it", "[fs]") {
  Image image;
  PathFileSystem& paths = image.paths();
  MakeTree(paths, "t");
  constexpr int kClones = 30;  // each of all before it: 2^30 times as many files
  std::string deepest = "t/sub/deep/g7";
  for (int i = 0; i < kClones; ++i) {
    const std::string clone = "c" + std::to_string(i);
    REQUIRE(paths.Clone("", clone).ok());
    deepest = clone + "/" + deepest;
  }
  CHECK(*paths.ReadFile(deepest) == "deep 7");
  for (const char* around : {"a", "b", "c", "d", "e", "f", "g", "h"}) {
    const std::string top = deepest.substr(0, deepest.find('/'));
    REQUIRE(paths.MakeDirectories(around).ok());
    REQUIRE(paths.Rename(top, around + ("/" + top)).ok());
    deepest = around + ("/" + deepest);
  }
  CHECK(*paths.ReadFile(deepest) == "deep 7");
  image.Check();
}

std::set<uint64_t> Numbers(PathFileSystem& paths, const std::string& top) {
  std::set<uint64_t> numbers;
  size_t files = 0;
  REQUIRE(paths
              .Walk(top,
                    [&](const std::string&, const FileAttributes& attributes) {
                      numbers.insert(attributes.inode_number);
                      ++files;
                      return absl::OkStatus();
                    })
              .ok());
  CHECK(numbers.size() == files);
  return numbers;
}

TEST_CASE("inode numbers are unique over all clones, stable over remounts and moves", "[fs]") {
  Image image;
  MakeTree(image.paths(), "t");
  for (const char* name : {"c1", "c2", "t/c3"}) REQUIRE(image.paths().Clone("t", name).ok());
  REQUIRE(image.paths().Clone("c1", "c1/c1").ok());
  Numbers(image.paths(), "");
  const std::set<uint64_t> of_clone = Numbers(image.paths(), "c1/c1/sub");
  image.Unmount();
  CHECK(Numbers(image.paths(), "c1/c1/sub") == of_clone);
  REQUIRE(image.paths().Rename("c1/c1/sub", "moved").ok());
  CHECK(Numbers(image.paths(), "moved") == of_clone);
  REQUIRE(image.paths().Rename("moved", "t/c3/sub/moved").ok());
  CHECK(Numbers(image.paths(), "t/c3/sub/moved") == of_clone);
  const uint64_t file = image.paths().Stat("c2/f1")->inode_number;
  REQUIRE(image.paths().Rename("c2/f1", "t/f1-of-c2").ok());
  CHECK(image.paths().Stat("t/f1-of-c2")->inode_number == file);
  Numbers(image.paths(), "");
  image.Check();
}

TEST_CASE("a clone touches few nodes, whatever its size", "[fs]") {
  Image image;
  for (int i = 0; i < 20; ++i) MakeTree(image.paths(), "t/" + std::to_string(i));
  REQUIRE(image.fs().store().Checkpoint().ok());
  const uint64_t before = image.fs().store().Stats().nodes_touched;
  REQUIRE(image.paths().Clone("t", "c").ok());
  CHECK(image.fs().store().Stats().nodes_touched - before < 40);
  image.Check();
}

TEST_CASE("many clones of clones", "[fs]") {
  Image image;
  MakeTree(image.paths(), "c0");
  const std::string before = Describe(image.paths(), "c0");
  for (int i = 1; i < 40; ++i) {
    REQUIRE(image.paths().Clone("c" + std::to_string(i - 1), "c" + std::to_string(i)).ok());
    REQUIRE(image.paths().WriteFile("c" + std::to_string(i) + "/only" + std::to_string(i), "x").ok());
  }
  CHECK(Describe(image.paths(), "c0") == before);
  CHECK(image.paths().List("c39")->size() == image.paths().List("c0")->size() + 39);
  image.Check();
  for (int i = 0; i < 39; ++i) REQUIRE(image.paths().RemoveTree("c" + std::to_string(i)).ok());
  CHECK(*image.paths().ReadFile("c39/sub/deep/g11") == "deep 11");
  image.Check();
}

TEST_CASE("a clone of what was seen to be one owner's is not made after another one's may have come", "[fs]") {
  Image image;
  FileSystem& fs = image.fs();
  constexpr uint32_t kOwner = 1000;
  const auto make = [&](InodeId parent, const char* name, FileType type, uint32_t uid) {
    return fs.Create(parent, name, {.type = type, .uid = uid})->inode;
  };
  const InodeId home = make(kRootInode, "home", FileType::kDirectory, kOwner);
  const InodeId tree = make(home, "tree", FileType::kDirectory, kOwner);
  const InodeId own = make(home, "own", FileType::kRegular, kOwner);
  const InodeId strange = make(kRootInode, "strange", FileType::kRegular, 0);
  const auto is_counted = [&](absl::FunctionRef<absl::Status()> change) {
    const SeenOwner seen{.owner = kOwner, .arrivals = fs.Arrivals(kOwner)};
    REQUIRE(change().ok());
    const absl::StatusOr<Entry> clone = fs.Clone(tree, kRootInode, "clone", &seen);
    if (clone.ok()) REQUIRE(fs.RemoveTree(kRootInode, "clone").ok());
    CHECK((clone.ok() || Errno(clone) == EAGAIN));
    return !clone.ok();
  };
  CHECK_FALSE(is_counted([&] { return fs.Rename(home, "own", tree, "own"); }));
  CHECK_FALSE(is_counted([&] { return fs.Link(own, home, "linked").status(); }));
  CHECK_FALSE(is_counted([&] { return fs.Create(tree, "d", {.type = FileType::kDirectory, .uid = kOwner}).status(); }));
  CHECK_FALSE(is_counted([&] { return fs.Create(kRootInode, "other", {.uid = 7}).status(); }));
  CHECK(is_counted([&] { return fs.Create(tree, "his", {.uid = 7}).status(); }));
  CHECK(is_counted([&] { return fs.Create(tree, "null", {.type = FileType::kCharDevice, .uid = kOwner}).status(); }));
  CHECK(is_counted([&] { return fs.Link(strange, tree, "linked").status(); }));
  CHECK(is_counted([&] { return fs.Rename(kRootInode, "strange", tree, "strange"); }));
  CHECK(is_counted([&] { return fs.Rename(tree, "strange", kRootInode, "other", RenameMode::kExchange); }));
  CHECK(is_counted([&] { return fs.Rename(tree, "d", home, "d"); }));
  CHECK(is_counted([&] { return fs.SetAttributes(own, {.uid = 7}).status(); }));
  CHECK(is_counted([&] { return fs.Clone(home, tree, "cloned").status(); }));
}

}  // namespace
}  // namespace betr::test
