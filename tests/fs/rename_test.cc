// SPDX-License-Identifier: Apache-2.0
// rename(2) in all its cases, and renameat2(2)'s two flags.
#include <catch2/catch.hpp>
#include <cerrno>
#include <string>

#include "support/fs/image.h"
#include "support/must.h"

namespace betr::test {
namespace {

// A directory with something of every kind below it.
void MakeTree(PathFileSystem& paths, const std::string& top) {
  REQUIRE(paths.MakeDirectories(top + "/sub/deep").ok());
  REQUIRE(paths.WriteFile(top + "/file", std::string(9000, 'f')).ok());
  REQUIRE(paths.WriteFile(top + "/sub/deep/small", "small").ok());
  REQUIRE(paths.MakeSymlink("sub/deep", top + "/link").ok());
  REQUIRE(paths.Link(top + "/file", top + "/sub/second").ok());
}

TEST_CASE("renaming a file: new name, over a file, onto itself", "[fs]") {
  Image image;
  PathFileSystem& paths = image.paths();
  REQUIRE(paths.MakeDirectories("d").ok());
  REQUIRE(paths.WriteFile("a", "content of a").ok());
  REQUIRE(paths.WriteFile("b", std::string(50000, 'b')).ok());
  CHECK(paths.Rename("a", "d/c").ok());
  CHECK(Errno(paths.Stat("a")) == ENOENT);
  CHECK(*paths.ReadFile("d/c") == "content of a");
  CHECK(paths.Rename("d/c", "b").ok());
  CHECK(*paths.ReadFile("b") == "content of a");
  CHECK(paths.Rename("b", "b").ok());
  CHECK(*paths.ReadFile("b") == "content of a");
  AttributeChange longer;
  longer.size = 60000;
  REQUIRE(paths.SetAttributes("b", longer).ok());
  CHECK(paths.ReadFile("b")->substr(12) == std::string(60000 - 12, '\0'));
  CHECK(paths.List("d")->empty());
  image.Check();
}

TEST_CASE("a file that is written under another name first costs the tree no clone", "[fs]") {
  Image image;
  PathFileSystem& paths = image.paths();
  REQUIRE(paths.WriteFile("final7", "an older one").ok());
  const uint64_t before = image.fs().store().Stats().clones;
  for (int i = 0; i < 20; ++i) {
    const std::string final = "final" + std::to_string(i);
    REQUIRE(paths.WriteFile("temporary", final + std::string(100, 'x')).ok());
    REQUIRE(paths.Rename("temporary", final).ok());
  }
  CHECK(image.fs().store().Stats().clones == before);
  CHECK(Errno(paths.Stat("temporary")) == ENOENT);
  CHECK(*paths.ReadFile("final7") == "final7" + std::string(100, 'x'));
  image.Check();
  CHECK(*image.paths().ReadFile("final19") == "final19" + std::string(100, 'x'));
}

TEST_CASE("what is renamed may leave a new file under its old name", "[fs]") {
  Image image;
  FileSystem& fs = image.fs();
  PathFileSystem& paths = image.paths();
  MakeTree(paths, "top");
  REQUIRE(paths.WriteFile("file", "new").ok());
  REQUIRE(paths.WriteFile("other", "old").ok());
  REQUIRE(paths.Link("file", "top/third").ok());
  const NewFile whiteout{.type = FileType::kCharDevice, .permissions = 0, .uid = 7, .gid = 8};
  const auto leave = [&](const char* from, const char* to, RenameMode mode, const NewFile& left) {
    return fs.Rename(kRootInode, from, kRootInode, to, mode, &left);
  };
  const auto is_whiteout = [&](const std::string& path) {
    const FileAttributes left = Must(image.paths().Stat(path));
    return left.type == FileType::kCharDevice && left.device == 0 && left.permissions == 0 && left.uid == 7 &&
           left.gid == 8 && left.links == 1;
  };
  Must(leave("file", "other", RenameMode::kReplace, whiteout));
  CHECK(*paths.ReadFile("other") == "new");
  CHECK(is_whiteout("file"));
  Must(leave("top", "moved", RenameMode::kNoReplace, whiteout));
  CHECK(is_whiteout("top"));
  CHECK(*paths.ReadFile("moved/sub/deep/small") == "small");
  CHECK(*paths.ReadFile("moved/third") == "new");
  CHECK(Must(paths.List("")).size() == 4);

  CHECK(Errno(leave("other", "moved", RenameMode::kNoReplace, whiteout)) == EEXIST);
  CHECK(Errno(leave("other", "moved", RenameMode::kExchange, whiteout)) == EINVAL);
  CHECK(Errno(leave("other", "else", RenameMode::kReplace, {.type = FileType::kDirectory})) == EINVAL);
  CHECK(Errno(paths.Stat("else")) == ENOENT);
  // The old name is one as any other.
  Must(paths.Unlink("top"));
  Must(paths.MakeDirectory("top"));
  CHECK(paths.List("top")->empty());
  image.Check();
  CHECK(is_whiteout("file"));
  CHECK(*image.paths().ReadFile("other") == "new");
}

TEST_CASE("renaming a directory takes everything along", "[fs]") {
  Image image;
  PathFileSystem& paths = image.paths();
  MakeTree(paths, "t");
  REQUIRE(paths.MakeDirectory("other").ok());
  const std::string before = Describe(paths, "t");
  const uint64_t number = paths.Stat("t/sub/deep/small")->inode_number;
  REQUIRE(paths.Rename("t", "other/moved").ok());
  CHECK(Errno(paths.Stat("t/file")) == ENOENT);
  CHECK(Describe(paths, "other/moved") == before);
  CHECK(paths.Stat("other/moved/sub/deep/small")->inode_number == number);
  CHECK(paths.Stat("other")->links == 3);
  CHECK(paths.Stat("")->links == 3);
  image.Check();
  CHECK(Describe(image.paths(), "other/moved") == before);
  CHECK(image.paths().Rename("other/moved/sub", "sub").ok());
  CHECK(*image.paths().ReadFile("sub/second") == std::string(9000, 'f'));
  CHECK(image.paths().Stat("sub/second")->links == 2);
  image.Check();
}

TEST_CASE("renaming over a directory", "[fs]") {
  Image image;
  PathFileSystem& paths = image.paths();
  MakeTree(paths, "t");
  REQUIRE(paths.MakeDirectory("empty").ok());
  REQUIRE(paths.WriteFile("file", "x").ok());
  REQUIRE(paths.MakeDirectories("full/x").ok());
  CHECK(Errno(paths.Rename("t", "full")) == ENOTEMPTY);
  CHECK(Errno(paths.Rename("t", "file")) == ENOTDIR);
  CHECK(Errno(paths.Rename("file", "empty")) == EISDIR);
  CHECK(Errno(paths.Rename("none", "empty")) == ENOENT);
  const std::string before = Describe(paths, "t");
  CHECK(paths.Rename("t", "empty").ok());
  CHECK(Describe(paths, "empty") == before);
  CHECK(paths.Stat("")->links == 4);
  image.Check();
}

TEST_CASE("a directory goes neither into nor over its own descendants and ancestors", "[fs]") {
  Image image;
  PathFileSystem& paths = image.paths();
  REQUIRE(paths.MakeDirectories("a/b/c").ok());
  CHECK(Errno(paths.Rename("a", "a/x")) == EINVAL);
  CHECK(Errno(paths.Rename("a", "a/b/c/x")) == EINVAL);
  CHECK(Errno(paths.Rename("a", "a/b")) == EINVAL);
  CHECK(Errno(paths.Rename("a/b/c", "a")) == ENOTEMPTY);
  CHECK(Errno(paths.Rename("a/b/c", "a/b")) == ENOTEMPTY);
  CHECK(Errno(paths.Rename("a", "a/b", RenameMode::kExchange)) == EINVAL);
  CHECK(Errno(paths.Rename("a/b", "a", RenameMode::kExchange)) == EINVAL);
  CHECK(paths.Rename("a/b", "b").ok());
  CHECK(paths.Stat("b/c").ok());
  CHECK(paths.Stat("a")->links == 2);
  image.Check();
}

TEST_CASE("names that may not be renamed", "[fs]") {
  Image image;
  REQUIRE(image.paths().MakeDirectory("d").ok());
  FileSystem& fs = image.fs();
  CHECK(Errno(fs.Rename(kRootInode, ".", kRootInode, "x")) == EBUSY);
  CHECK(Errno(fs.Rename(kRootInode, "d", kRootInode, "..")) == EBUSY);
  CHECK(Errno(fs.Rename(kRootInode, "d", kRootInode, std::string(256, 'x'))) == ENAMETOOLONG);
  CHECK(Errno(fs.Rename(kRootInode, "d", kRootInode, "a/b")) == EINVAL);
}

TEST_CASE("two names of one file: renaming one to the other does nothing", "[fs]") {
  Image image;
  PathFileSystem& paths = image.paths();
  REQUIRE(paths.WriteFile("a", "x").ok());
  REQUIRE(paths.Link("a", "b").ok());
  CHECK(paths.Rename("a", "b").ok());
  CHECK(paths.Stat("a")->links == 2);
  CHECK(paths.Rename("a", "c").ok());
  CHECK(paths.Stat("b")->links == 2);
  REQUIRE(paths.WriteFile("d", "y").ok());
  CHECK(paths.Rename("d", "b").ok());
  CHECK(paths.Stat("c")->links == 1);
  CHECK(*paths.ReadFile("b") == "y");
  CHECK(paths.Rename("c", "b").ok());
  CHECK(*paths.ReadFile("b") == "x");
  image.Check();
}

TEST_CASE("NOREPLACE", "[fs]") {
  Image image;
  PathFileSystem& paths = image.paths();
  REQUIRE(paths.WriteFile("a", "x").ok());
  REQUIRE(paths.WriteFile("b", "y").ok());
  CHECK(Errno(paths.Rename("a", "b", RenameMode::kNoReplace)) == EEXIST);
  CHECK(Errno(paths.Rename("a", "a", RenameMode::kNoReplace)) == EEXIST);
  CHECK(paths.Rename("a", "c", RenameMode::kNoReplace).ok());
  CHECK(*paths.ReadFile("c") == "x");
}

TEST_CASE("EXCHANGE: files, directories, and one of each", "[fs]") {
  Image image;
  PathFileSystem& paths = image.paths();
  MakeTree(paths, "one");
  REQUIRE(paths.MakeDirectories("two/x").ok());
  REQUIRE(paths.WriteFile("two/x/y", "y").ok());
  REQUIRE(paths.WriteFile("file", std::string(5000, 'q')).ok());
  REQUIRE(paths.MakeDirectory("d").ok());
  REQUIRE(paths.Link("file", "d/linked").ok());
  const std::string one = Describe(paths, "one");
  const std::string two = Describe(paths, "two");
  CHECK(Errno(paths.Rename("one", "none", RenameMode::kExchange)) == ENOENT);
  REQUIRE(paths.Rename("one", "two", RenameMode::kExchange).ok());
  CHECK(Describe(paths, "one") == two);
  CHECK(Describe(paths, "two") == one);
  image.Check();
  REQUIRE(image.paths().Rename("two", "d/linked", RenameMode::kExchange).ok());
  CHECK(Describe(image.paths(), "d/linked") == one);
  CHECK(*image.paths().ReadFile("two") == std::string(5000, 'q'));
  CHECK(image.paths().Stat("two")->links == 2);
  CHECK(image.paths().Stat("d")->links == 3);
  image.Check();
  REQUIRE(image.paths().Rename("file", "two", RenameMode::kExchange).ok());
  REQUIRE(image.paths().Rename("one/x", "d/linked/file", RenameMode::kExchange).ok());
  CHECK(*image.paths().ReadFile("one/x") == std::string(9000, 'f'));
  CHECK(*image.paths().ReadFile("d/linked/file/y") == "y");
  image.Check();
}

TEST_CASE("open files and directories follow renames and survive being replaced", "[fs]") {
  Image image;
  PathFileSystem& paths = image.paths();
  MakeTree(paths, "t");
  REQUIRE(paths.WriteFile("victim", "victim").ok());
  {
    const OpenFile small = *paths.Open("t/sub/deep/small");
    const OpenFile deep = *paths.Open("t/sub/deep");
    const OpenFile victim = *paths.Open("victim");
    REQUIRE(paths.Rename("t", "u").ok());
    CHECK(*image.fs().PathOf(small.inode()) == "u/sub/deep/small");
    REQUIRE(image.fs().Write(small.inode(), 0, "S").ok());
    REQUIRE(image.fs().Create(deep.inode(), "new", NewFile()).ok());
    CHECK(*paths.ReadFile("u/sub/deep/small") == "Small");
    CHECK(paths.Exists("u/sub/deep/new").value());
    REQUIRE(paths.Rename("u/sub/deep/small", "victim").ok());
    std::string bytes(6, '\0');
    REQUIRE(image.fs().Read(victim.inode(), 0, bytes).ok());
    CHECK(bytes == "victim");
    CHECK(*paths.ReadFile("victim") == "Small");
    CHECK(*image.fs().PathOf(small.inode()) == "victim");
  }
  image.Check();
}

TEST_CASE("writes that are gathered follow a rename", "[fs]") {
  ImageOptions options;
  options.experiments = *ParseExperiments(GENERATE(as<std::string>{}, "", "rename-by-copy", "zones=1K", "zones=8"));
  Image image(options);
  PathFileSystem& paths = image.paths();
  REQUIRE(paths.MakeDirectories("d/e").ok());
  {
    const OpenFile file = *paths.Create("d/e/f", NewFile());
    REQUIRE(image.fs().Write(file.inode(), 0, "gathered").ok());
    REQUIRE(paths.Rename("d", "x").ok());
    REQUIRE(image.fs().Write(file.inode(), 8, " more").ok());
    REQUIRE(paths.Rename("x/e/f", "g").ok());
  }
  CHECK(*paths.ReadFile("g") == "gathered more");
  image.Check();
}

}  // namespace
}  // namespace betr::test
