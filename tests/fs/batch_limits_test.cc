// SPDX-License-Identifier: Apache-2.0
// What an operation puts into a batch depends on what it is given: paths, names, open files. It stays within what the
// store takes at once (Store::MaxBatch), or is refused before it begins.
#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cerrno>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/status.h"
#include "fs/check/check.h"
#include "fs/key.h"
#include "support/fs/image.h"
#include "support/must.h"

namespace betr::test {
namespace {

ImageOptions LargeImage(Bytes write_behind) {
  ImageOptions options;
  options.size = GiB(64);
  options.node_size = MiB(4);
  options.basement_size = KiB(64);
  options.fanout = 16;
  options.log_size = GiB(1);
  options.mount.write_behind = write_behind;
  return options;
}

// Nothing is smaller than this: a batch takes 16 KiB.
ImageOptions SmallLog() {
  ImageOptions options;
  options.log_size = KiB(64);
  return options;
}

// Makes a directory whose path is a little shorter than 3.8 KB.
std::string MakeDeep(PathFileSystem& paths, std::string path) {
  for (int level = 0; level < 15; ++level) {
    path += '/' + std::string(250, static_cast<char>('a' + level));
    Must(paths.MakeDirectory(path));
  }
  return path;
}

}  // namespace

TEST_CASE("writes are gathered up to what a batch takes", "[fs]") {
  const bool deep = GENERATE(false, true);
  Image image(LargeImage(deep ? MiB(40) : MiB(128)));
  const std::string directory = deep ? MakeDeep(image.paths(), "") : "";
  const std::string path = directory + "/file";
  Must(image.paths().WriteFile(path, ""));
  std::string content;
  {
    const OpenFile file = image.paths().Open(path).value();
    while (content.size() < MiB(80).value) {
      const std::string part(MiB(1).value, static_cast<char>('a' + content.size() / MiB(4).value));
      REQUIRE(image.fs().Write(file.inode(), content.size(), part).value() == part.size());
      content += part;
    }
  }
  REQUIRE(image.fs().Sync().ok());
  REQUIRE(image.paths().WriteFile(directory + "/other", "x").ok());
  image.Unmount();
  CHECK(image.paths().ReadFile(path).value() == content);
}

TEST_CASE("what is gathered is written before an operation that leaves it no room in a batch", "[fs]") {
  Image image(SmallLog());
  Must(image.paths().WriteFile("file", "x"));
  {
    const OpenFile file = image.paths().Open("file").value();
    Must(image.fs().Write(file.inode(), 0, std::string(3000, 'f')).status());
    REQUIRE(image.fs().SetXattr(file.inode(), "user.large", std::string(14000, 'v')).ok());
  }
  image.Unmount();
  CHECK(image.paths().ReadFile("file").value() == std::string(3000, 'f'));
  image.Check();
}

TEST_CASE("a file whose names are just no batch any more stays in its clone, in a large log too", "[fs][large]") {
  Image image(LargeImage(MiB(1)));
  PathFileSystem& paths = image.paths();
  Must(paths.MakeDirectory("top"));
  const std::string deep = MakeDeep(paths, "top").substr(4);
  const std::string name = '/' + std::string(180, 'n');
  Must(paths.WriteFile("top/" + deep + name + "0", "x"));
  for (int i = 1; i < 6000; ++i) Must(paths.Link("top/" + deep + name + "0", "top/" + deep + name + std::to_string(i)));
  Must(paths.Clone("top", "clone"));
  CHECK(Errno(paths.Rename("clone/" + deep + name + "0", "out")) == EXDEV);
  CHECK(Errno(paths.Link("clone/" + deep + name + "1", "out")) == EXDEV);
  Must(paths.Rename("clone/" + deep + name + "0", "clone/in"));
}

namespace {

// What is large in one way, in an image with the smallest log.
struct Largest {
  const char* what;
  std::function<absl::Status(PathFileSystem&)> act;
  std::vector<int> errors;  // other than success
};

constexpr int kMany = 1000;

std::string NameOf(int i) { return fmt::format("{:05}", i); }

// Names of one file, or of a file outside each.
void MakeNames(PathFileSystem& paths, bool of_one) {
  Must(paths.MakeDirectories("top/sub"));
  Must(paths.MakeDirectory("out"));
  Must(paths.WriteFile("out/one", "x"));
  for (int i = 0; i < kMany; ++i) {
    const std::string first = "out/" + NameOf(i);
    if (!of_one) Must(paths.WriteFile(first, "x"));
    Must(paths.Link(of_one ? "out/one" : first, "top/sub/" + NameOf(i)));
  }
}

// Directories in directories, as far as it goes. Returns what stopped it.
absl::Status MakeChain(PathFileSystem& paths, size_t name_size, std::string* path) {
  for (;;) {
    const std::string longer = *path + '/' + std::string(name_size, 'd');
    BETR_RETURN_IF_ERROR(paths.MakeDirectory(longer));
    *path = longer;
  }
}

absl::Status SetXattr(PathFileSystem& paths, const std::string& path, const std::string& name, size_t size) {
  BETR_ASSIGN_OR_RETURN(const OpenFile file, paths.Open(path));
  return paths.fs().SetXattr(file.inode(), name, std::string(size, 'v'));
}

absl::Status SetNamesOfXattrs(PathFileSystem& paths, const std::string& path) {
  for (int i = 0;; ++i) BETR_RETURN_IF_ERROR(SetXattr(paths, path, "user." + std::string(245, 'x') + NameOf(i), 0));
}

absl::Status CopySparse(PathFileSystem& paths) {
  BETR_ASSIGN_OR_RETURN(const OpenFile from, paths.Open("from"));
  BETR_ASSIGN_OR_RETURN(const OpenFile to, paths.Open("to"));
  FileSystem& fs = paths.fs();
  const uint64_t size = TiB(15).value + MiB(200).value;
  BETR_RETURN_IF_ERROR(fs.Write(from.inode(), 0, "begin").status());
  BETR_RETURN_IF_ERROR(fs.Write(from.inode(), size - 3, "end").status());
  BETR_RETURN_IF_ERROR(fs.SetAttributes(to.inode(), {.size = size + 1}).status());
  uint64_t at = MiB(1).value;
  while (at < size) {
    BETR_ASSIGN_OR_RETURN(const uint64_t copied, fs.CopyRange(from.inode(), at, to.inode(), at, size - at));
    at += copied;
  }
  std::string end(3, '\0');
  BETR_RETURN_IF_ERROR(fs.Read(to.inode(), size - 3, end).status());
  CHECK(end == "end");
  return absl::OkStatus();
}

const Largest kLargest[] = {
    {"a path of long names",
     [](PathFileSystem& paths) {
       std::string path;
       return MakeChain(paths, 250, &path);
     },
     {ENAMETOOLONG, ENOSPC}},
    {"a path of short names",
     [](PathFileSystem& paths) {
       std::string path;
       return MakeChain(paths, 1, &path);
     },
     {ENAMETOOLONG, ENOSPC}},
    {"content, xattrs and links at the end of a long path",
     [](PathFileSystem& paths) {
       std::string path;
       static_cast<void>(MakeChain(paths, 250, &path));
       BETR_RETURN_IF_ERROR(paths.WriteFile(path + "/f", std::string(100000, 'x')));
       BETR_RETURN_IF_ERROR(paths.Link(path + "/f", path + "/g"));
       BETR_RETURN_IF_ERROR(SetXattr(paths, path + "/f", "user.x", 300));
       BETR_RETURN_IF_ERROR(paths.Rename(path + "/f", path + "/h"));
       BETR_RETURN_IF_ERROR(paths.Unlink(path + "/g"));
       return paths.RemoveTree(path.substr(0, 251));
     },
     {ENOSPC}},
    {"a symbolic link",
     [](PathFileSystem& paths) { return paths.MakeSymlink(std::string(kMaxPathSize, 't'), "link"); },
     {}},
    {"an xattr",
     [](PathFileSystem& paths) { return SetXattr(paths, "from", "user.x", kMaxXattrSize.value); },
     {ENOSPC}},
    {"names of xattrs", [](PathFileSystem& paths) { return SetNamesOfXattrs(paths, "from"); }, {ENOSPC}},
    {"an exchange of what has many xattrs",
     [](PathFileSystem& paths) {
       static_cast<void>(SetNamesOfXattrs(paths, "from"));
       static_cast<void>(SetNamesOfXattrs(paths, "to"));
       return paths.Rename("from", "to", RenameMode::kExchange);
     },
     {ENOSPC}},
    {"a removal of what has many xattrs",
     [](PathFileSystem& paths) {
       static_cast<void>(SetNamesOfXattrs(paths, "from"));
       BETR_RETURN_IF_ERROR(paths.Link("from", "second"));
       BETR_RETURN_IF_ERROR(paths.Unlink("from"));
       return paths.Unlink("second");
     },
     {ENOSPC}},
    {"a clone of names of one file",
     [](PathFileSystem& paths) {
       MakeNames(paths, true);
       return paths.Clone("top", "clone");
     },
     {}},
    {"a clone of names of many files",
     [](PathFileSystem& paths) {
       MakeNames(paths, false);
       return paths.Clone("top", "clone");
     },
     {}},
    {"a rename out of a clone, of one file's names",
     [](PathFileSystem& paths) {
       MakeNames(paths, true);
       Must(paths.Clone("top", "clone"));
       return paths.Rename("clone/sub/" + NameOf(0), "name");
     },
     {EXDEV}},
    {"a rename out of a clone, of many files' names",
     [](PathFileSystem& paths) {
       MakeNames(paths, false);
       Must(paths.Clone("top", "clone"));
       Must(paths.Link("clone/sub/" + NameOf(1), "clone/second"));
       return paths.Rename("clone/second", "name");
     },
     {}},
    {"a rename of a directory of names",
     [](PathFileSystem& paths) {
       MakeNames(paths, true);
       return paths.Rename("top", "renamed");
     },
     {}},
    {"a removal of one file's names",
     [](PathFileSystem& paths) {
       MakeNames(paths, true);
       return paths.RemoveTree("top");
     },
     {}},
    {"a removal of many files' names",
     [](PathFileSystem& paths) {
       MakeNames(paths, false);
       Must(paths.RemoveTree("out"));
       return paths.RemoveTree("top");
     },
     {}},
    {"a copy of a range", [](PathFileSystem& paths) { return CopySparse(paths); }, {}},
};

}  // namespace

TEST_CASE("what is large in an image with the smallest log is done, or refused as documented", "[fs]") {
  const size_t index = GENERATE(range(size_t{0}, std::size(kLargest)));
  const Largest& largest = kLargest[index];
  Image image(SmallLog());
  for (const char* name : {"from", "to"}) Must(image.paths().WriteFile(name, ""));
  const absl::Status status = largest.act(image.paths());
  INFO(largest.what << ": " << status);
  CHECK((status.ok() || std::ranges::count(largest.errors, Errno(status)) == 1));
  Must(image.paths().WriteFile("after", "after"));
  Must(image.fs().Sync());
  image.Check();
  CHECK(image.paths().ReadFile("after").value() == "after");
}

TEST_CASE("an image with the smallest log is repaired", "[fs]") {
  Image image(SmallLog());
  MakeNames(image.paths(), true);
  image.Unmount();
  const std::unique_ptr<Store> store = image.OpenStore();
  const TreeId data = Must(store->FindTree(kDataTree));
  Must(store->EraseRange(Must(store->FindTree(kMetaTree)), Range::Prefix(fs::key::GroupNames(""))));
  for (int i = 0; i < kMany; ++i) {
    Must(store->Put(data, fs::key::Block(fs::key::Entry("", "lost" + NameOf(i)), 0), "content"));
  }
  const auto summary = fs::RepairFileSystem(
      store.get(), [] { return false; }, [](const fs::CheckFinding&) {});
  INFO(summary.status());
  REQUIRE(summary.ok());
  CHECK(summary->errors_left == 0);
  Must(store->Close());
  image.Check();
  CHECK(image.paths().Stat("out/one")->links == kMany + 1);
}

}  // namespace betr::test
