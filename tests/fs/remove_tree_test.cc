// SPDX-License-Identifier: Apache-2.0
// What a FUSE server needs to remove a whole tree for others: who has to hear of it, and that it is what was looked at.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cerrno>
#include <functional>

#include "support/fs/image.h"
#include "support/must.h"

namespace betr::test {
namespace {

std::vector<std::string> NamesOf(const RemovedTree& removed) {
  std::vector<std::string> names;
  for (const KnownName& known : removed.names) names.push_back(known.name + (known.is_directory ? "/" : ""));
  return names;
}

TEST_CASE("names that somebody has are told when their tree is removed", "[fs]") {
  Image image;
  FileSystem& fs = image.fs();
  REQUIRE(image.paths().MakeDirectories("top/sub/deep").ok());
  REQUIRE(image.paths().MakeDirectories("top/unknown").ok());
  for (const char* path : {"top/file", "top/sub/linked", "top/sub/deep/unknown", "top/sub/deep/inner"}) {
    REQUIRE(image.paths().WriteFile(path, "content").ok());
  }
  REQUIRE(image.paths().Link("top/sub/linked", "outside").ok());
  REQUIRE(image.paths().Link("top/sub/linked", "top/second").ok());
  REQUIRE(image.paths().Link("top/sub/deep/inner", "top/inner").ok());
  const Entry top = Must(fs.Lookup(kRootInode, "top"));
  const Entry sub = Must(fs.Lookup(top.inode, "sub"));
  const Entry deep = Must(fs.Lookup(sub.inode, "deep"));
  const Entry inner = Must(fs.Lookup(deep.inode, "inner"));
  const Entry outside = Must(fs.Lookup(kRootInode, "outside"));
  RemovedTree removed;
  REQUIRE(fs.RemoveTree(kRootInode, "top", &removed).ok());
  std::vector<std::string> names = NamesOf(removed);
  REQUIRE(names.size() == 7);
  CHECK(std::vector<std::string>(names.end() - 3, names.end()) == std::vector<std::string>{"deep/", "sub/", "top/"});
  std::sort(names.begin(), names.end() - 3);
  CHECK(names[0] + names[1] + names[2] + names[3] == "innerinnerlinkedsecond");
  CHECK(removed.names.back().directory == kRootInode);
  CHECK(removed.names[4].directory == sub.inode);
  CHECK(removed.names[4].inode == deep.inode);
  CHECK(std::count(removed.changed.begin(), removed.changed.end(), outside.inode) == 1);
  CHECK(Must(fs.GetAttributes(outside.inode)).links == 1);
  for (const Entry& entry : {inner, deep, sub, top}) CHECK(Must(fs.GetAttributes(entry.inode)).links == 0);
  for (const Entry& entry : {inner, deep, sub, top, outside}) fs.Forget(entry.inode);
  image.Check();
}

TEST_CASE("a tree is not removed if it may be another one than was seen", "[fs]") {
  using Change = std::function<void(PathFileSystem&)>;
  const auto owned = [](uint32_t uid) {
    NewFile directory;
    directory.type = FileType::kDirectory;
    directory.uid = uid;
    return directory;
  };
  const Change change =
      GENERATE_COPY(Change([](PathFileSystem& paths) { Must(paths.Rename("other", "top/other")); }),
                    Change([](PathFileSystem& paths) { Must(paths.Rename("top/a", "top/b")); }),
                    Change([](PathFileSystem& paths) { Must(paths.Rename("file", "top/sub", RenameMode::kExchange)); }),
                    Change([](PathFileSystem& paths) { Must(paths.Clone("other", "top/other")); }),
                    Change([&](PathFileSystem& paths) { Must(paths.Create("top/other", owned(1000)).status()); }),
                    Change([](PathFileSystem& paths) {
                      AttributeChange owner;
                      owner.uid = 1000;
                      Must(paths.SetAttributes("top/sub", owner).status());
                    }),
                    Change([](PathFileSystem& paths) {
                      Must(paths.RemoveTree("top"));
                      Must(paths.WriteFile("top", "content"));
                    }));
  Image image;
  FileSystem& fs = image.fs();
  PathFileSystem& paths = image.paths();
  for (const char* path : {"top/sub", "top/a", "other"}) REQUIRE(paths.MakeDirectories(path).ok());
  REQUIRE(paths.WriteFile("file", "content").ok());
  const Entry top = Must(fs.Lookup(kRootInode, "top"));
  const SeenTree seen{top.inode, fs.DirectoryMoves()};
  change(paths);
  const std::string before = Describe(paths, "");
  RemovedTree removed;
  CHECK(Errno(fs.RemoveTree(kRootInode, "top", &removed, &seen)) == EAGAIN);
  CHECK(removed.names.empty());
  CHECK(Describe(paths, "") == before);
  fs.Forget(top.inode);
  image.Check();
}

TEST_CASE("a tree is removed if nothing of its directories has changed", "[fs]") {
  Image image;
  FileSystem& fs = image.fs();
  PathFileSystem& paths = image.paths();
  REQUIRE(paths.MakeDirectories("top/sub").ok());
  const Entry top = Must(fs.Lookup(kRootInode, "top"));
  const SeenTree seen{top.inode, fs.DirectoryMoves()};
  REQUIRE(paths.MakeDirectories("top/sub/more").ok());
  REQUIRE(paths.WriteFile("top/file", "content").ok());
  REQUIRE(paths.Rename("top/file", "file").ok());
  CHECK(fs.RemoveTree(kRootInode, "top", nullptr, &seen).ok());
  CHECK(Must(paths.List("")) == std::vector<std::string>{"file"});
  fs.Forget(top.inode);
  image.Check();
}

}  // namespace
}  // namespace betr::test
