// SPDX-License-Identifier: Apache-2.0
// Trees of an image that are copied over an earlier copy on the host: what is the same is left alone, and the result is
// what a new copy would be.
#include <fcntl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "base/random.h"
#include "base/scoped_fd.h"
#include "fs/key.h"
#include "fs/transfer/host_file.h"
#include "fs/transfer/host_inode.h"
#include "fs/transfer/tree_copy.h"
#include "support/fs/host_tree.h"
#include "support/fs/planted.h"
#include "support/must.h"
#include "support/seed.h"

namespace betr::fs {
namespace {

namespace host = std::filesystem;

using test::HostTree;
using test::Mirror;
using test::Must;
using test::TreeCopies;

struct stat StatOf(const HostTree& tree, const std::string& name) {
  struct stat attributes {};
  REQUIRE(lstat(tree.Path(name).c_str(), &attributes) == 0);
  return attributes;
}

bool IsSameInode(const struct stat& one, const struct stat& other) {
  return IdOf(one) == IdOf(other) && ToFileTime(one.st_ctim) == ToFileTime(other.st_ctim);
}

std::string Content(const HostTree& tree, const std::string& name) {
  std::ifstream file(tree.Path(name));
  return {std::istreambuf_iterator<char>(file), {}};
}

// Directories in each other, as many as no path could name.
void MakeDeep(const HostTree& tree, const std::string& name, int depth) {
  ScopedFd at(open(tree.Path().c_str(), O_RDONLY | O_DIRECTORY));
  for (int level = 0; level < depth; ++level) {
    REQUIRE(mkdirat(at.get(), name.c_str(), 0700) == 0);
    at = ScopedFd(openat(at.get(), name.c_str(), O_RDONLY | O_DIRECTORY));
  }
}

// Options of which something is told, and what that was.
class Telling {
 public:
  Telling() {
    options.gone_without = [this](const absl::Status& status) { told.push_back(test::Errno(status)); };
    options.removed = [this](std::string_view path) { removed.emplace_back(path); };
  }
  CopyOptions options = Mirror();
  std::vector<int> told;
  std::vector<std::string> removed;
};

}  // namespace

TEST_CASE("a copy on the host that is updated is what a new copy is") {
  Random random(TestSeed());
  HostTree tree;
  HostTree out(2'000'000);
  TreeCopies copy;
  for (int round = 0; round < 40 * TestScale(); ++round) {
    INFO("round " << round);
    for (uint64_t i = random.Uniform(8); i > 0; --i) tree.Change(random);
    for (uint64_t i = host::exists(out.Path()) ? random.Uniform(3) : 0; i > 0; --i) out.Change(random);
    copy.Import(tree, "in", Mirror());
    copy.Export("in", out, Mirror());
    copy.Import(out, "back", {});
    CHECK(copy.Differences("in", "back").empty());
    REQUIRE(copy.Links("in") == copy.Links("back"));
    CHECK(copy.Times("in") == copy.Times("back"));
    Must(copy.image.paths().RemoveTree("back"));
    if (random.OneIn(3)) host::remove_all(out.Path());
  }
}

TEST_CASE("what is the same on the host is left as it is") {
  HostTree tree;
  HostTree out;
  TreeCopies copy;
  for (const char* name : {"a", "b", "c", "d"}) tree.Write(name, name);
  host::create_directory(tree.Path("below"));
  tree.Write("below/e", "e");
  host::create_symlink("a", tree.Path("link"));
  host::create_hard_link(tree.Path("a"), tree.Path("below/hard"));
  REQUIRE(mkfifo(tree.Path("fifo").c_str(), 0600) == 0);
  lsetxattr(tree.Path("c").c_str(), "user.kept", "1", 1, 0);
  copy.Import(tree, "in", {});
  copy.Export("in", out, Mirror());
  std::vector<struct stat> before;
  const std::vector<std::string> names = {"a", "c", "below", "below/e", "below/hard", "link", "fifo"};
  for (const std::string& name : names) before.push_back(StatOf(out, name));
  CHECK(copy.Export("in", out, Mirror()).unchanged == 8);

  Must(copy.image.paths().WriteFile("in/b", "another"));
  Must(copy.image.fs().SetXattr(Must(copy.image.paths().Open("in/d")).inode(), "user.new", "2"));
  out.Write("a stranger", "");
  const CopyTotals totals = copy.Export("in", out, Mirror());
  CHECK(totals.unchanged == 7);
  CHECK(totals.removed == 1);
  CHECK(totals.bytes == Bytes{7});
  for (size_t i = 0; i < names.size(); ++i) {
    INFO(names[i]);
    CHECK(IsSameInode(before[i], StatOf(out, names[i])));
  }
  CHECK(Content(out, "b") == "another");
  CHECK(lgetxattr(out.Path("d").c_str(), "user.new", nullptr, 0) == 1);
}

TEST_CASE("only attributes that differ are set on the host") {
  HostTree tree;
  HostTree out;
  TreeCopies copy;
  for (const char* name : {"mode", "more", "less"}) tree.Write(name, name);
  lsetxattr(tree.Path("less").c_str(), "user.a", "1", 1, 0);
  copy.Import(tree, "in", {});
  copy.Export("in", out, Mirror());
  const struct stat before = StatOf(out, "mode");
  chmod(out.Path("mode").c_str(), 0601);
  lsetxattr(out.Path("more").c_str(), "user.b", "1", 1, 0);
  lremovexattr(out.Path("less").c_str(), "user.a");
  const CopyTotals totals = copy.Export("in", out, Mirror());
  CHECK(totals.unchanged == 3);
  CHECK(totals.bytes == Bytes{0});
  CHECK(StatOf(out, "mode").st_mode == before.st_mode);
  CHECK(lgetxattr(out.Path("more").c_str(), "user.b", nullptr, 0) == -1);
  CHECK(lgetxattr(out.Path("less").c_str(), "user.a", nullptr, 0) == 1);
}

TEST_CASE("a file of the host that has names elsewhere is not changed there") {
  HostTree tree;
  HostTree out;
  HostTree outside;
  TreeCopies copy;
  tree.Write("content", "before");
  tree.Write("mode", "the same");
  copy.Import(tree, "in", {});
  copy.Export("in", out, Mirror());
  host::create_hard_link(out.Path("content"), outside.Path("content"));
  host::create_hard_link(out.Path("mode"), outside.Path("mode"));
  tree.Write("content", "after!");
  chmod(tree.Path("mode").c_str(), 0600);
  copy.Import(tree, "in", Mirror());
  copy.Export("in", out, Mirror());
  CHECK(Content(out, "content") == "after!");
  CHECK(Content(outside, "content") == "before");
  CHECK((StatOf(out, "mode").st_mode & 0777) == 0600);
  CHECK((StatOf(outside, "mode").st_mode & 0777) == 0644);
}

TEST_CASE("names that are links on the host only become files of their own") {
  HostTree tree;
  HostTree out;
  TreeCopies copy;
  tree.Write("a", "same");
  host::copy(tree.Path("a"), tree.Path("b"));
  struct stat a = StatOf(tree, "a");
  const timespec times[2] = {a.st_atim, a.st_mtim};
  REQUIRE(utimensat(AT_FDCWD, tree.Path("b").c_str(), times, 0) == 0);
  copy.Import(tree, "in", {});
  copy.Export("in", out, Mirror());
  host::remove(out.Path("b"));
  host::create_hard_link(out.Path("a"), out.Path("b"));
  CHECK(copy.Export("in", out, Mirror()).unchanged == 1);
  CHECK(StatOf(out, "a").st_ino != StatOf(out, "b").st_ino);
  CHECK(copy.Export("in", out, Mirror()).unchanged == 2);
}

TEST_CASE("what the image does not have is removed from the host, and told of") {
  HostTree tree;
  HostTree out;
  TreeCopies copy;
  Telling telling;
  tree.Write("file", "a file");
  host::create_directory(tree.Path("directory"));
  copy.Import(tree, "in", {});
  host::create_directories(out.Path("file/below"));
  out.Write("directory", "a file");
  host::create_directories(out.Path("other/below"));
  out.Write("other/below/file", "");
  host::create_directory_symlink(tree.Path(), out.Path("other/link"));
  out.Write("kept.o", "");
  Must(telling.options.exclusions.Add("*.o"));

  CopyOptions keeps = telling.options;
  keeps.remove_others = false;
  copy.Export("in", out, keeps);
  CHECK(telling.told == std::vector<int>{EISDIR, ENOTDIR});
  CHECK(host::exists(out.Path("other/below/file")));

  CHECK(copy.Export("in", out, telling.options).removed == 3);
  CHECK(telling.removed == std::vector<std::string>{out.Path("other"), out.Path("file"), out.Path("directory")});
  CHECK(telling.told.size() == 2);
  CHECK(Content(out, "file") == "a file");
  CHECK(host::is_directory(out.Path("directory")));
  CHECK(!host::exists(out.Path("other")));
  CHECK(host::exists(out.Path("kept.o")));
  CHECK(Content(tree, "file") == "a file");
}

TEST_CASE("what the user has named does not give way on the host") {
  HostTree tree;
  HostTree out;
  TreeCopies copy;
  Telling telling;
  tree.Write("file", "a file");
  copy.Import(tree, "in", {});
  out.Write("inside", "stays");
  Must(ExportTrees(&copy.image.fs(), {CopyPair{"in/file", out.Path()}}, telling.options));
  CHECK(telling.told == std::vector<int>{EISDIR});
  CHECK(Content(out, "inside") == "stays");
}

TEST_CASE("nothing is removed from the host for names that cannot be read") {
  HostTree tree;
  HostTree out;
  TreeCopies copy;
  Telling telling;
  host::create_directory(tree.Path("d"));
  for (const char* name : {"d/a", "d/m", "d/z"}) tree.Write(name, name);
  copy.Import(tree, "in", {});
  copy.Export("in", out, Mirror());
  copy.image.Unmount();
  test::planted::Damage(copy.image, [](const test::planted::Trees& t) {
    Must(t.store.Put(t.meta, key::Entry(key::Content(key::Content("", "in"), "d"), "m"), "x"));
  });
  const CopyTotals totals = copy.Export("in", out, telling.options);
  CHECK(totals.gone_without > 0);
  CHECK(totals.removed == 0);
  CHECK(Content(out, "d/z") == "d/z");
}

TEST_CASE("the image is not removed from the host, nor the directories that it is in") {
  HostTree tree;
  HostTree out;
  TreeCopies copy;
  Telling telling;
  copy.Import(tree, "in", {});
  host::create_directories(out.Path("images"));
  out.Write("images/disk.img", "all of it");
  out.Write("zzz", "");
  telling.options.image = IdOf(StatOf(out, "images/disk.img"));
  const CopyTotals totals = copy.Export("in", out, telling.options);
  CHECK(telling.told == std::vector<int>{EBUSY});
  CHECK(totals.gone_without == 1);
  CHECK(telling.removed == std::vector<std::string>{out.Path("zzz")});
  CHECK(Content(out, "images/disk.img") == "all of it");
}

TEST_CASE("what is mounted somewhere on the host is not removed") {
  HostTree tree;
  HostTree out;
  TreeCopies copy;
  Telling telling;
  copy.Import(tree, "in", {});
  host::create_directories(out.Path("goes/mounted"));
  const std::string mounted = out.Path("goes/mounted");
  if (mount("none", mounted.c_str(), "tmpfs", 0, nullptr) != 0) return;  // only user 0 may
  out.Write("goes/mounted/file", "stays");
  copy.Export("in", out, telling.options);
  CHECK(telling.told == std::vector<int>{EBUSY});
  CHECK(Content(out, "goes/mounted/file") == "stays");
  REQUIRE(umount(mounted.c_str()) == 0);
  CHECK(copy.Export("in", out, telling.options).removed == 1);
}

TEST_CASE("a directory that is left out does not give way to a file") {
  HostTree tree;
  HostTree out;
  TreeCopies copy;
  Telling telling;
  tree.Write("name", "a file");
  copy.Import(tree, "in", {});
  host::create_directory(out.Path("name"));
  out.Write("name/inside", "stays");
  Must(telling.options.exclusions.Add("name/"));
  CHECK(copy.Export("in", out, telling.options).removed == 0);
  CHECK(telling.told == std::vector<int>{EISDIR});
  CHECK(Content(out, "name/inside") == "stays");
}

TEST_CASE("what has the number of a file that was replaced on the host is not taken for it") {
  HostTree tree;
  HostTree out;
  TreeCopies copy;
  for (const char* name : {"1", "2", "3"}) host::create_directory(tree.Path(name));
  tree.Write("1/f", "first");
  host::create_hard_link(tree.Path("1/f"), tree.Path("3/f"));
  tree.Write("2/f", "other");
  host::create_hard_link(tree.Path("2/f"), tree.Path("2/link"));
  const struct stat first = StatOf(tree, "1/f");
  const timespec times[2] = {first.st_atim, first.st_mtim};
  REQUIRE(utimensat(AT_FDCWD, tree.Path("2/f").c_str(), times, 0) == 0);
  copy.Import(tree, "in", {});
  std::vector<CopyPair> trees;
  for (const char* name : {"in/1", "in/2", "in/3"}) trees.push_back({name, out.Path()});
  CopyOptions options;
  options.update = true;
  Must(ExportTrees(&copy.image.fs(), trees, options));
  CHECK(Content(out, "f") == "first");
  CHECK(Content(out, "link") == "other");
}

TEST_CASE("nothing is removed from what is mounted in a copy") {
  HostTree tree;
  HostTree out;
  HostTree outside;
  TreeCopies copy;
  Telling telling;
  host::create_directories(tree.Path("mounted/below"));
  tree.Write("mounted/below/name", "a file");
  copy.Import(tree, "in", {});
  host::create_directories(outside.Path("below/name"));
  outside.Write("file", "stays");
  outside.Write("below/file", "stays");
  host::create_directory(out.Path("mounted"));
  const std::string mounted = out.Path("mounted");
  for (const bool is_bound : {false, true}) {
    const std::string from = is_bound ? outside.Path() : "none";
    if (mount(from.c_str(), mounted.c_str(), "tmpfs", is_bound ? MS_BIND : 0, nullptr) != 0) return;
    if (!is_bound) host::copy(outside.Path(), mounted, host::copy_options::recursive);
    telling.told.clear();
    const CopyTotals totals = copy.Export("in", out, telling.options);
    const bool stays = Content(out, "mounted/file") == "stays" && Content(out, "mounted/below/file") == "stays";
    // What is named is meant, mounted or not.
    Must(ExportTrees(&copy.image.fs(), {CopyPair{"in/mounted", mounted}}, telling.options));
    const bool went = !host::exists(mounted + "/file") && Content(out, "mounted/below/name") == "a file";
    REQUIRE(umount(mounted.c_str()) == 0);
    CHECK(totals.removed == 0);
    CHECK(telling.told == std::vector<int>{EISDIR});
    CHECK(stays);
    CHECK(went);
  }
}

TEST_CASE("trees deeper than a path is long are removed from the host") {
  HostTree tree;
  HostTree out;
  TreeCopies copy;
  Telling telling;
  copy.Import(tree, "in", {});
  MakeDeep(out, std::string(200, 'd'), 60);
  CHECK(copy.Export("in", out, telling.options).removed == 1);
  CHECK(telling.told.empty());
  CHECK(host::is_empty(out.Path()));
}

}  // namespace betr::fs
