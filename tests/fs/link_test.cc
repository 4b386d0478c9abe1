// SPDX-License-Identifier: Apache-2.0
// Files with several names.
#include <catch2/catch.hpp>
#include <cerrno>

#include "support/fs/image.h"

namespace betr::test {
namespace {

TEST_CASE("all names of a file are one file", "[fs]") {
  Image image;
  PathFileSystem& paths = image.paths();
  REQUIRE(paths.MakeDirectories("d/e").ok());
  REQUIRE(paths.WriteFile("a", std::string(9000, 'a')).ok());
  REQUIRE(paths.Link("a", "d/b").ok());
  REQUIRE(paths.Link("d/b", "d/e/c").ok());
  const uint64_t number = paths.Stat("a")->inode_number;
  for (int mount = 0; mount < 2; ++mount) {
    for (const char* name : {"a", "d/b", "d/e/c"}) {
      CHECK(image.paths().Stat(name)->inode_number == number);
      CHECK(image.paths().Stat(name)->links == 3);
      CHECK(*image.paths().ReadFile(name) == std::string(9000, 'a'));
    }
    image.Check();
  }
  const OpenFile file = *image.paths().Open("d/e/c");
  REQUIRE(image.fs().Write(file.inode(), 4096, "changed").ok());
  CHECK(image.paths().ReadFile("a")->substr(4096, 7) == "changed");
  REQUIRE(image.paths().Unlink("a").ok());
  CHECK(image.paths().Stat("d/b")->links == 2);
  REQUIRE(image.paths().Unlink("d/b").ok());
  CHECK(image.paths().ReadFile("d/e/c")->substr(4096, 7) == "changed");
  CHECK(image.paths().Stat("d/e/c")->inode_number == number);
  REQUIRE(image.paths().Unlink("d/e/c").ok());
  CHECK(image.fs().GetAttributes(file.inode())->links == 0);
}

TEST_CASE("links: errors", "[fs]") {
  Image image;
  PathFileSystem& paths = image.paths();
  REQUIRE(paths.MakeDirectory("d").ok());
  REQUIRE(paths.WriteFile("f", "x").ok());
  CHECK(Errno(paths.Link("d", "e")) == EPERM);
  CHECK(Errno(paths.Link("f", "d")) == EEXIST);
  CHECK(Errno(paths.Link("f", "f")) == EEXIST);
  CHECK(Errno(paths.Link("f", "none/g")) == ENOENT);
  CHECK(Errno(paths.Link("none", "g")) == ENOENT);
}

TEST_CASE("anything but a directory may have several names", "[fs]") {
  Image image;
  PathFileSystem& paths = image.paths();
  REQUIRE(paths.MakeSymlink("to", "symlink").ok());
  REQUIRE(paths.Create("fifo", {.type = FileType::kFifo}).ok());
  REQUIRE(paths.Link("symlink", "symlink2").ok());
  REQUIRE(paths.Link("fifo", "fifo2").ok());
  CHECK(*paths.ReadLink("symlink2") == "to");
  CHECK(paths.Stat("fifo2")->type == FileType::kFifo);
  CHECK(paths.Stat("fifo2")->links == 2);
  image.Check();
}

TEST_CASE("xattrs, large ones too, and pending writes go along when a file gets its second name", "[fs]") {
  Image image;
  PathFileSystem& paths = image.paths();
  const OpenFile file = *paths.Create("f", NewFile());
  REQUIRE(image.fs().SetXattr(file.inode(), "user.small", "s").ok());
  REQUIRE(image.fs().SetXattr(file.inode(), "user.large", std::string(5000, 'l')).ok());
  REQUIRE(image.fs().Write(file.inode(), 0, "pending").ok());
  REQUIRE(paths.Link("f", "g").ok());
  CHECK(*paths.ReadFile("g") == "pending");
  const OpenFile second = *paths.Open("g");
  CHECK(second.inode() == file.inode());
  CHECK(*image.fs().GetXattr(second.inode(), "user.large") == std::string(5000, 'l'));
  REQUIRE(paths.Unlink("f").ok());
  CHECK(*image.fs().GetXattr(second.inode(), "user.large") == std::string(5000, 'l'));
}

TEST_CASE("there is a largest number of links", "[fs][long]") {
  Image image;
  PathFileSystem& paths = image.paths();
  REQUIRE(paths.WriteFile("f0", "x").ok());
  for (uint32_t i = 1; i < kMaxLinks; ++i) REQUIRE(paths.Link("f0", "f" + std::to_string(i)).ok());
  CHECK(Errno(paths.Link("f0", "more")) == EMLINK);
  image.Check();
}

// A tree with links inside and to the outside.
void MakeLinkedTree(PathFileSystem& paths) {
  REQUIRE(paths.MakeDirectories("t/sub").ok());
  REQUIRE(paths.WriteFile("t/inside", "inside").ok());
  REQUIRE(paths.Link("t/inside", "t/sub/inside").ok());
  REQUIRE(paths.WriteFile("t/across", "across").ok());
  REQUIRE(paths.Link("t/across", "outside").ok());
  REQUIRE(paths.Link("t/across", "t/sub/across").ok());
}

void Overwrite(Image& image, const std::string& path, std::string_view bytes) {
  const OpenFile file = *image.paths().Open(path);
  REQUIRE(image.fs().Write(file.inode(), 0, bytes).ok());
}

TEST_CASE("links inside a clone are links among the copies; the source never notices", "[fs]") {
  Image image;
  PathFileSystem& paths = image.paths();
  MakeLinkedTree(paths);
  REQUIRE(paths.Clone("t", "c").ok());
  CHECK(paths.Stat("c/inside")->links == 2);
  CHECK(paths.Stat("c/across")->links == 2);  // the name outside is not part of the clone
  CHECK(paths.Stat("t/across")->links == 3);
  CHECK(paths.Stat("c/inside")->inode_number == paths.Stat("c/sub/inside")->inode_number);
  CHECK(paths.Stat("c/across")->inode_number == paths.Stat("c/sub/across")->inode_number);
  CHECK(paths.Stat("c/inside")->inode_number != paths.Stat("t/inside")->inode_number);
  CHECK(paths.Stat("c/inside")->inode_number != paths.Stat("c/across")->inode_number);

  Overwrite(image, "c/sub/inside", "CLONED");
  Overwrite(image, "t/across", "SOURCE");
  CHECK(*paths.ReadFile("c/inside") == "CLONED");
  CHECK(*paths.ReadFile("t/inside") == "inside");
  CHECK(*paths.ReadFile("t/sub/inside") == "inside");
  CHECK(*paths.ReadFile("outside") == "SOURCE");
  CHECK(*paths.ReadFile("c/across") == "across");
  CHECK(*paths.ReadFile("c/sub/across") == "across");
  image.Check();

  REQUIRE(image.paths().RemoveTree("t").ok());
  CHECK(image.paths().Stat("outside")->links == 1);
  CHECK(*image.paths().ReadFile("c/sub/across") == "across");
  REQUIRE(image.paths().Unlink("c/across").ok());
  CHECK(image.paths().Stat("c/sub/across")->links == 1);
  image.Check();
}

TEST_CASE("clones of clones, and clones inside clones, keep their links apart", "[fs]") {
  Image image;
  MakeLinkedTree(image.paths());
  REQUIRE(image.paths().Clone("t", "c").ok());
  REQUIRE(image.paths().Clone("c", "t/nested").ok());
  REQUIRE(image.paths().Clone("t", "d").ok());
  REQUIRE(image.paths().Clone("", "d/root").ok());
  std::vector<uint64_t> numbers;
  for (const std::string top : {"t", "c", "t/nested", "d", "d/nested", "d/root/t", "d/root/t/nested", "d/root/c"}) {
    INFO(top);
    CHECK(image.paths().Stat(top + "/inside")->links == 2);
    const uint64_t number = image.paths().Stat(top + "/inside")->inode_number;
    CHECK(image.paths().Stat(top + "/sub/inside")->inode_number == number);
    CHECK(std::count(numbers.begin(), numbers.end(), number) == 0);
    numbers.push_back(number);
    Overwrite(image, top + "/inside", std::to_string(10 + numbers.size()));
  }
  size_t index = 0;
  for (const std::string top : {"t", "c", "t/nested", "d", "d/nested", "d/root/t", "d/root/t/nested", "d/root/c"}) {
    CHECK(image.paths().ReadFile(top + "/sub/inside")->substr(0, 2) == std::to_string(10 + ++index));
  }
  CHECK(image.paths().Stat("d/root/outside")->links == 3);
  image.Check();
}

TEST_CASE("a name that leaves a clone, a name that enters one", "[fs]") {
  Image image;
  MakeLinkedTree(image.paths());
  REQUIRE(image.paths().Clone("t", "c").ok());
  const uint64_t number = image.paths().Stat("c/inside")->inode_number;
  SECTION("by rename") {
    REQUIRE(image.paths().Rename("c/inside", "left").ok());
    CHECK(image.paths().Stat("left")->inode_number == number);
    Overwrite(image, "left", "LEFT");
    CHECK(*image.paths().ReadFile("c/sub/inside") == "LEFTde");
    REQUIRE(image.paths().Rename("outside", "c/entered").ok());
    CHECK(image.paths().Stat("c/entered")->links == 3);
    CHECK(image.paths().Stat("c/across")->links == 2);
  }
  SECTION("by link") {
    REQUIRE(image.paths().Link("c/inside", "t/third").ok());
    CHECK(image.paths().Stat("t/third")->inode_number == number);
    CHECK(image.paths().Stat("c/sub/inside")->links == 3);
    CHECK(image.paths().Stat("t/inside")->links == 2);
    REQUIRE(image.paths().WriteFile("c/plain", "p").ok());
    REQUIRE(image.paths().Link("c/plain", "plain").ok());
  }
  SECTION("with a directory") {
    REQUIRE(image.paths().Rename("c/sub", "t/sub2").ok());
    CHECK(image.paths().Stat("t/sub2/inside")->inode_number == number);
    REQUIRE(image.paths().Rename("t/sub", "c/sub").ok());
    CHECK(image.paths().Stat("c/sub/across")->links == 3);
    Overwrite(image, "c/sub/across", "MOVED!");
    CHECK(*image.paths().ReadFile("outside") == "MOVED!");
    CHECK(*image.paths().ReadFile("t/sub2/across") == "across");
  }
  SECTION("by exchange") {
    REQUIRE(image.paths().Rename("c/sub", "t/sub", RenameMode::kExchange).ok());
    CHECK(image.paths().Stat("t/sub/inside")->inode_number == number);
    CHECK(image.paths().Stat("c/sub/inside")->inode_number == image.paths().Stat("t/inside")->inode_number);
  }
  image.Check();
  REQUIRE(image.paths().RemoveTree("c").ok());
  image.Check();
}

TEST_CASE("a clone of many links at once", "[fs]") {
  Image image;
  PathFileSystem& paths = image.paths();
  REQUIRE(paths.MakeDirectories("t/a").ok());
  constexpr int kFiles = 600;
  for (int i = 0; i < kFiles; ++i) {
    const std::string name = std::to_string(i);
    REQUIRE(paths.WriteFile("t/" + name, name).ok());
    REQUIRE(paths.Link("t/" + name, "t/a/" + name).ok());
    if (i % 3 == 0) REQUIRE(paths.Link("t/" + name, "out" + name).ok());
  }
  REQUIRE(paths.Clone("t", "c").ok());
  REQUIRE(paths.Clone("t/a", "b").ok());
  for (int i = 0; i < kFiles; i += 7) {
    const std::string name = std::to_string(i);
    CHECK(*paths.ReadFile("c/a/" + name) == name);
    CHECK(paths.Stat("c/" + name)->links == 2);
    CHECK(paths.Stat("b/" + name)->links == 1);
  }
  image.Check();
  REQUIRE(image.paths().RemoveTree("t").ok());
  CHECK(image.paths().Stat("out3")->links == 1);
  CHECK(*image.paths().ReadFile("c/5") == "5");
  image.Check();
}

}  // namespace
}  // namespace betr::test
