// SPDX-License-Identifier: Apache-2.0
// Creating, looking up, removing: what POSIX wants, each error, across remounts.
#include <catch2/catch.hpp>
#include <cerrno>

#include "support/fs/image.h"

namespace betr::test {
namespace {

NewFile File(FileType type) {
  NewFile file;
  file.type = type;
  if (type == FileType::kSymlink) file.target = "target";
  return file;
}

TEST_CASE("every type of file is created and found again after a remount", "[fs]") {
  Image image;
  NewFile device = File(FileType::kCharDevice);
  device.device = 0x0105;
  device.permissions = 0620;
  device.uid = 7;
  device.gid = 8;
  REQUIRE(image.paths().Create("tty", device).ok());
  for (const FileType type : {FileType::kRegular, FileType::kDirectory, FileType::kSymlink, FileType::kFifo,
                              FileType::kSocket, FileType::kBlockDevice}) {
    REQUIRE(image.paths().Create("f" + std::to_string(static_cast<int>(type)), File(type)).ok());
  }
  const std::string before = Describe(image.paths(), "");
  image.Unmount();
  CHECK(Describe(image.paths(), "") == before);
  const FileAttributes tty = *image.paths().Stat("tty");
  CHECK(tty.type == FileType::kCharDevice);
  CHECK(tty.device == 0x0105);
  CHECK(tty.permissions == 0620);
  CHECK(tty.uid == 7);
  CHECK(tty.gid == 8);
  CHECK(tty.links == 1);
  CHECK(tty.born == FileTime{1'000'000'000, 0});
  CHECK(*image.paths().ReadLink("f3") == "target");
  CHECK(image.paths().Stat("f3")->size == 6);
  CHECK(Errno(image.paths().ReadLink("f1")) == EINVAL);
  image.Check();
}

TEST_CASE("names: what is allowed, what is not", "[fs]") {
  Image image;
  FileSystem& fs = image.fs();
  const std::string longest(255, 'n');
  const auto create = [&](std::string_view name) { return Errno(fs.Create(kRootInode, name, NewFile())); };
  CHECK(create(longest) == 0);
  CHECK(create(longest + "n") == ENAMETOOLONG);
  CHECK(Errno(fs.Lookup(kRootInode, longest + "n")) == ENAMETOOLONG);
  CHECK(create("") == EINVAL);
  CHECK(create("a/b") == EINVAL);
  CHECK(create(std::string_view("a\0b", 3)) == EINVAL);
  CHECK(create(".") == EEXIST);
  CHECK(create("..") == EEXIST);
  CHECK(create("\x01\xff\n") == 0);
  CHECK(create(longest) == EEXIST);
  CHECK(Errno(fs.Lookup(kRootInode, "none")) == ENOENT);
  CHECK(Errno(fs.Lookup(InodeId{12345}, "none")) == ESTALE);
  const Entry file = *fs.Lookup(kRootInode, longest);
  CHECK(Errno(fs.Lookup(file.inode, "x")) == ENOTDIR);
  CHECK(Errno(fs.Create(file.inode, "x", NewFile())) == ENOTDIR);
  CHECK(fs.Lookup(kRootInode, "..")->inode == kRootInode);
  CHECK(image.paths().List("")->size() == 2);
  image.Check();
}

TEST_CASE("paths have a limit of their own", "[fs]") {
  Image image;
  const std::string top(199, 'd');
  std::string path;
  while (path.size() < 4000) path += top + "/";
  REQUIRE(image.paths().MakeDirectories(path).ok());
  const size_t left = kMaxPathSize - path.size();
  CHECK(image.paths().WriteFile(path + std::string(left, 'x'), "deep").ok());
  CHECK(Errno(image.paths().WriteFile(path + std::string(left + 1, 'x'), "deep")) == ENAMETOOLONG);
  CHECK(*image.paths().ReadFile("/" + path + std::string(left, 'x')) == "deep");
  CHECK(Errno(image.paths().ReadFile("//" + path + std::string(left, 'x'))) == ENAMETOOLONG);
  // Nothing may be moved or cloned to where what is below it would have a longer path.
  CHECK(Errno(image.paths().Rename(top, top + "x")) == ENAMETOOLONG);
  CHECK(Errno(image.paths().Clone(top, top + "x")) == ENAMETOOLONG);
  CHECK(image.paths().Rename(top, "short").ok());
  CHECK(image.paths().Clone("short", "other").ok());
  image.Check();
}

TEST_CASE("errors name the path, or both paths where it takes two", "[fs]") {
  Image image;
  PathFileSystem& paths = image.paths();
  REQUIRE(paths.MakeDirectories("d/e").ok());
  REQUIRE(paths.WriteFile("d/f", "").ok());
  REQUIRE(paths.WriteFile("g", "").ok());
  const auto message = [](const absl::Status& status) { return std::string(status.message()); };
  CHECK(message(paths.Unlink("//d/x/")) == "/d/x/: No such file or directory");
  CHECK(message(paths.Rename("d/x", "g")) == "/d/x -> /g: No such file or directory");
  CHECK(message(paths.Rename("d/x/y", "g")) == "/d/x/y: x: No such file or directory");
  CHECK(message(paths.Rename("g", "x/y")) == "/x/y: x: No such file or directory");
  CHECK(message(paths.Rename("g", "/d/f", RenameMode::kNoReplace)) == "/g -> /d/f: File exists");
  CHECK(message(paths.Rename("d", "d/e/d")) == "/d -> /d/e/d: a directory into itself: Invalid argument");
  CHECK(message(paths.Link("g", "d/f")) == "/g -> /d/f: File exists");
  CHECK(message(paths.Link("x", "d/x")) == "/x: No such file or directory");
  CHECK(message(paths.Clone("d", "g")) == "/d -> /g: File exists");
  CHECK(ToErrno(paths.Rename("g", "d")) == EISDIR);
  CHECK(ToErrno(paths.Rename("d", "d/e/d")) == EINVAL);
}

TEST_CASE("errors with names that are no letters can be read all the same", "[fs]") {
  Image image;
  PathFileSystem& paths = image.paths();
  const auto message = [](const absl::Status& status) { return std::string(status.message()); };
  CHECK(message(paths.Unlink("\xc3\xa9t\xc3\xa9")) == "/\xc3\xa9t\xc3\xa9: No such file or directory");
  CHECK(message(paths.Unlink("a\nb")) == "/a\\x0ab: No such file or directory");
  CHECK(message(paths.Unlink("\xff/b")) == "/\\xff/b: \\xff: No such file or directory");
  CHECK(message(paths.WriteFile(std::string_view("a\0b", 3), "")).starts_with("/a\\x00b: "));
  CHECK(message(paths.Rename("\x1b", "x")) == "/\\x1b -> /x: No such file or directory");
  CHECK(message(image.fs().SetXattr(kRootInode, "\n", "", XattrMode::kReplace)) == "\\x0a: No data available");
}

TEST_CASE("a set-group-id directory gives its group away", "[fs]") {
  Image image;
  AttributeChange change;
  change.permissions = 02775;
  change.gid = 42;
  REQUIRE(image.paths().MakeDirectory("d").ok());
  REQUIRE(image.paths().SetAttributes("d", change).ok());
  REQUIRE(image.paths().WriteFile("d/f", "").ok());
  REQUIRE(image.paths().MakeDirectory("d/s").ok());
  CHECK(image.paths().Stat("d/f")->gid == 42);
  CHECK(image.paths().Stat("d/f")->permissions == 0644);
  CHECK(image.paths().Stat("d/s")->gid == 42);
  CHECK(image.paths().Stat("d/s")->permissions == 02755);
}

TEST_CASE("removing: directories, files, and what is neither", "[fs]") {
  Image image;
  PathFileSystem& paths = image.paths();
  REQUIRE(paths.MakeDirectories("d/sub").ok());
  REQUIRE(paths.WriteFile("d/f", "content").ok());
  CHECK(Errno(paths.Unlink("d")) == EISDIR);
  CHECK(Errno(paths.RemoveDirectory("d")) == ENOTEMPTY);
  CHECK(Errno(paths.RemoveDirectory("d/f")) == ENOTDIR);
  CHECK(Errno(paths.Unlink("d/none")) == ENOENT);
  CHECK(Errno(paths.Unlink("d/f/x")) == ENOTDIR);
  CHECK(Errno(paths.RemoveTree("")) == EBUSY);
  CHECK(paths.Stat("d")->links == 3);
  CHECK(paths.Unlink("d/f").ok());
  CHECK(Errno(paths.RemoveDirectory("d")) == ENOTEMPTY);
  CHECK(paths.RemoveDirectory("d/sub").ok());
  CHECK(paths.Stat("d")->links == 2);
  CHECK(paths.RemoveDirectory("d").ok());
  CHECK(paths.Stat("")->links == 2);
  // A name that is used again never shows what was there before.
  REQUIRE(paths.WriteFile("f", std::string(20000, 'x')).ok());
  REQUIRE(paths.Unlink("f").ok());
  REQUIRE(paths.WriteFile("f", "").ok());
  AttributeChange longer;
  longer.size = 20000;
  REQUIRE(paths.SetAttributes("f", longer).ok());
  CHECK(*paths.ReadFile("f") == std::string(20000, '\0'));
  image.Check();
}

TEST_CASE("whole trees are removed at once, open files live on", "[fs]") {
  Image image;
  PathFileSystem& paths = image.paths();
  REQUIRE(paths.MakeDirectories("t/a/b").ok());
  REQUIRE(paths.WriteFile("t/a/open", "still there").ok());
  REQUIRE(paths.WriteFile("t/a/b/closed", std::string(10000, 'c')).ok());
  REQUIRE(paths.WriteFile("t/linked", "two names").ok());
  REQUIRE(paths.Link("t/linked", "outside").ok());
  REQUIRE(paths.Link("t/linked", "t/a/again").ok());
  REQUIRE(paths.WriteFile("tt", "a neighbour").ok());
  {
    const OpenFile open = *paths.Open("t/a/open");
    const OpenFile directory = *paths.Open("t/a/b");
    const std::string before = image.fs().ListXattrs(open.inode()).ok() ? "ok" : "";
    REQUIRE(paths.RemoveTree("t").ok());
    CHECK(Errno(paths.Stat("t")) == ENOENT);
    std::string bytes(11, '\0');
    CHECK(*image.fs().Read(open.inode(), 0, bytes) == 11);
    CHECK(bytes == "still there");
    CHECK(image.fs().GetAttributes(open.inode())->links == 0);
    CHECK(image.fs().GetAttributes(open.inode())->inode_number == open.attributes().inode_number);
    CHECK(Errno(image.fs().Create(directory.inode(), "x", NewFile())) == ENOENT);
    CHECK(image.fs().Write(open.inode(), 5, "!").ok());
  }
  CHECK(paths.Stat("outside")->links == 1);
  CHECK(*paths.ReadFile("outside") == "two names");
  CHECK(*paths.ReadFile("tt") == "a neighbour");
  REQUIRE(paths.MakeDirectories("t/a/b").ok());
  CHECK(paths.List("t/a/b")->empty());
  CHECK(paths.List("t/a")->size() == 1);
  image.Check();
}

TEST_CASE("an unlinked file lives until it is closed, and not longer", "[fs]") {
  Image image;
  REQUIRE(image.paths().WriteFile("f", "old").ok());
  OpenFile open = *image.paths().Open("f");
  REQUIRE(image.paths().Unlink("f").ok());
  REQUIRE(image.paths().WriteFile("f", "new").ok());
  std::string bytes(3, '\0');
  REQUIRE(image.fs().Write(open.inode(), 0, "OLD").ok());
  REQUIRE(image.fs().Read(open.inode(), 0, bytes).ok());
  CHECK(bytes == "OLD");
  CHECK(*image.paths().ReadFile("f") == "new");
  CHECK(Errno(image.fs().Link(open.inode(), kRootInode, "g")) == ENOENT);
  CHECK(Errno(image.fs().PathOf(open.inode())) == ENOENT);
  open = OpenFile();
  image.Check();

  // The same, but the program crashes while it is open.
  {
    const OpenFile second = *image.paths().Open("f");
    REQUIRE(image.paths().Unlink("f").ok());
    REQUIRE(image.fs().Sync().ok());
  }
  image.Check();
}

TEST_CASE("a file that is removed between being found and being opened is not opened", "[fs]") {
  Image image;
  for (const bool is_replaced : {false, true}) {
    REQUIRE(image.paths().WriteFile("file", "old").ok());
    const Entry found = *image.fs().Lookup(kRootInode, "file");
    REQUIRE(image.paths().WriteFile("other", "new").ok());
    REQUIRE((is_replaced ? image.paths().Rename("other", "file") : image.fs().Unlink(kRootInode, "file")).ok());
    CHECK(Errno(image.fs().Open(found.inode)) == ESTALE);
    image.fs().Forget(found.inode);
  }
}

TEST_CASE("a file that is kept lives until nobody refers to it, and not longer", "[fs]") {
  Image image;
  const std::string content(100000, 'x');
  for (const bool is_replaced : {false, true}) {
    FileSystem& fs = image.fs();
    REQUIRE(image.paths().WriteFile("file", content).ok());
    const Entry found = *fs.Lookup(kRootInode, "file");
    REQUIRE(fs.Keep(found.inode).ok());
    REQUIRE(image.paths().WriteFile("other", "new").ok());
    REQUIRE((is_replaced ? image.paths().Rename("other", "file") : fs.Unlink(kRootInode, "file")).ok());
    REQUIRE(fs.Open(found.inode).ok());
    CHECK(fs.GetAttributes(found.inode)->links == 0);
    std::string bytes(content.size(), '\0');
    CHECK(*fs.Read(found.inode, 0, bytes) == content.size());
    CHECK(bytes == content);
    fs.Close(found.inode);
    REQUIRE(fs.Open(found.inode).ok());
    fs.Close(found.inode);
    fs.Forget(found.inode);
    CHECK(Errno(fs.Open(found.inode)) == ESTALE);
    image.Check();
  }
}

TEST_CASE("keeping a file ends with the last reference", "[fs]") {
  Image image;
  FileSystem& fs = image.fs();
  REQUIRE(image.paths().WriteFile("file", "content").ok());
  Entry found = *fs.Lookup(kRootInode, "file");
  REQUIRE(fs.Keep(found.inode).ok());
  fs.Forget(found.inode);
  found = *fs.Lookup(kRootInode, "file");
  REQUIRE(fs.Unlink(kRootInode, "file").ok());
  CHECK(Errno(fs.Open(found.inode)) == ESTALE);
  CHECK(Errno(fs.Keep(found.inode)) == ESTALE);
  fs.Forget(found.inode);

  // Of a tree that is removed at once, too. It is open at the end: the mount reclaims it then, or the next one.
  REQUIRE(image.paths().MakeDirectories("tree").ok());
  REQUIRE(image.paths().WriteFile("tree/file", "content").ok());
  const Entry tree = *fs.Lookup(kRootInode, "tree");
  found = *fs.Lookup(tree.inode, "file");
  REQUIRE(fs.Keep(tree.inode).ok());
  REQUIRE(fs.Keep(found.inode).ok());
  REQUIRE(image.paths().RemoveTree("tree").ok());
  CHECK(fs.Open(found.inode).ok());
  CHECK(Errno(fs.Lookup(tree.inode, "file")) == ENOENT);
  image.Check();
}

TEST_CASE("what an unlinked file takes comes back when it is closed, not at the end only", "[fs]") {
  Image image;
  REQUIRE(image.paths().WriteFile("f", std::string(100000, 'x')).ok());
  {
    const OpenFile open = *image.paths().Open("f");
    REQUIRE(image.paths().Unlink("f").ok());
  }
  image.Crash();
  const auto store = image.OpenStore(true);
  const auto cursor = *store->NewCursor(*store->FindTree("data"));
  cursor->SeekToFirst();
  CHECK_FALSE(cursor->Valid());
}

TEST_CASE("what was open and unlinked at a crash is reclaimed at the next mount", "[fs]") {
  Image image;
  REQUIRE(image.paths().WriteFile("f", std::string(100000, 'x')).ok());
  OpenFile* leaked = new OpenFile(*image.paths().Open("f"));
  REQUIRE(image.paths().Unlink("f").ok());
  image.Crash();
  operator delete(leaked);  // its destructor would call a file system that is gone
  image.fs();
  image.Check();
}

TEST_CASE("a file without a name may get one", "[fs]") {
  Image image;
  const Entry entry = *image.fs().CreateUnnamed(kRootInode, NewFile());
  REQUIRE(image.fs().Write(entry.inode, 0, "temporary").ok());
  CHECK(image.fs().GetAttributes(entry.inode)->links == 0);
  REQUIRE(image.fs().Link(entry.inode, kRootInode, "named").ok());
  CHECK(image.fs().GetAttributes(entry.inode)->links == 1);
  CHECK(*image.paths().ReadFile("named") == "temporary");
  CHECK(image.paths().Stat("named")->inode_number == entry.attributes.inode_number);
  image.fs().Close(entry.inode);
  const Entry lost = *image.fs().CreateUnnamed(kRootInode, NewFile());
  REQUIRE(image.fs().Write(lost.inode, 0, "lost").ok());
  image.fs().Close(lost.inode);
  CHECK(*image.paths().ReadFile("named") == "temporary");
  image.Check();
}

TEST_CASE("ids stay valid as long as somebody refers to them", "[fs]") {
  ImageOptions options;
  options.mount.inode_cache = 0;
  Image image(options);
  FileSystem& fs = image.fs();
  const Entry directory = *fs.Create(kRootInode, "d", {.type = FileType::kDirectory});
  const Entry file = *fs.Create(directory.inode, "f", NewFile());
  fs.Forget(directory.inode);
  CHECK(*fs.PathOf(file.inode) == "d/f");
  REQUIRE(fs.Rename(kRootInode, "d", kRootInode, "e").ok());
  CHECK(*fs.PathOf(file.inode) == "e/f");
  REQUIRE(fs.Write(file.inode, 0, "x").ok());
  fs.Forget(file.inode);
  REQUIRE(fs.Flush().ok());
  CHECK(fs.Lookup(kRootInode, "e").ok());
  CHECK(Errno(fs.GetAttributes(file.inode)) == ESTALE);
  CHECK(*image.paths().ReadFile("e/f") == "x");
  image.Check();
}

TEST_CASE("an inode is kept for each who refers to it, and a reference too many is none", "[fs]") {
  ImageOptions options;
  options.mount.inode_cache = 0;
  Image image(options);
  FileSystem& fs = image.fs();
  const InodeId file = fs.Create(kRootInode, "f", NewFile())->inode;
  REQUIRE(fs.Flush().ok());  // what is gathered keeps it too
  REQUIRE(fs.Refer(file).ok());
  fs.Forget(file);
  CHECK(fs.GetAttributes(file).ok());
  fs.Forget(file, 5);
  CHECK(Errno(fs.GetAttributes(file)) == ESTALE);
  CHECK(Errno(fs.Refer(file)) == ESTALE);
  fs.Forget(file);
  fs.Forget(kRootInode, 3);
  const InodeId again = fs.Lookup(kRootInode, "f")->inode;
  CHECK(again != file);
  fs.Forget(again);
  image.Check();
}

TEST_CASE("inode numbers are kept by renames and remounts, and never used again", "[fs]") {
  Image image;
  REQUIRE(image.paths().MakeDirectory("d").ok());
  REQUIRE(image.paths().WriteFile("d/f", "x").ok());
  const uint64_t directory = image.paths().Stat("d")->inode_number;
  const uint64_t file = image.paths().Stat("d/f")->inode_number;
  CHECK(directory != file);
  REQUIRE(image.paths().Rename("d", "e").ok());
  REQUIRE(image.paths().Rename("e/f", "g").ok());
  image.Unmount();
  CHECK(image.paths().Stat("e")->inode_number == directory);
  CHECK(image.paths().Stat("g")->inode_number == file);
  REQUIRE(image.paths().Unlink("g").ok());
  REQUIRE(image.paths().WriteFile("g", "y").ok());
  CHECK(image.paths().Stat("g")->inode_number > file);
  CHECK(image.paths().Stat("")->inode_number == 1);
  image.Check();
}

}  // namespace
}  // namespace betr::test
