// SPDX-License-Identifier: Apache-2.0
// Trees of the host that are copied over an earlier copy: only what differs is written, and the result is what a new
// copy would be.
#include <sys/stat.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "base/random.h"
#include "fs/transfer/tree_copy.h"
#include "support/fs/host_tree.h"
#include "support/must.h"
#include "support/seed.h"

namespace betr::fs {
namespace {

namespace host = std::filesystem;

using test::HostTree;
using test::kLarge;
using test::Mirror;
using test::Must;
using test::Noise;
using test::TreeCopies;

}  // namespace

TEST_CASE("a copy that is updated is what a new copy is") {
  Random random(TestSeed());
  HostTree tree;
  TreeCopies copy;
  for (int round = 0; round < 40 * TestScale(); ++round) {
    for (uint64_t i = random.Uniform(8); i > 0; --i) tree.Change(random);
    INFO("round " << round);
    copy.Import(tree, "updated", Mirror());
    copy.Import(tree, "new", {});
    CHECK(copy.Differences("new", "updated").empty());
    REQUIRE(copy.Links("new") == copy.Links("updated"));
    Must(copy.image.paths().RemoveTree("new"));
    if (random.OneIn(3)) Must(copy.image.paths().RemoveTree("updated"));
  }
}

TEST_CASE("what is the same is left as it is, and stays shared with a clone") {
  HostTree tree;
  TreeCopies copy;
  for (const char* name : {"a", "b", "c"}) tree.Write(name, name);
  host::create_directory(tree.Path("below"));
  tree.Write("below/d", "d");
  host::create_symlink("a", tree.Path("link"));
  copy.Import(tree, "in", Mirror());
  Must(copy.image.paths().Clone("in", "old"));
  const FileAttributes before = copy.Stat("in/a");
  const FileAttributes directory = copy.Stat("in/below");
  CHECK(copy.Import(tree, "in", Mirror()).unchanged == 5);
  CHECK(copy.Stat("in/a").changed == before.changed);
  CHECK(copy.Stat("in/a").inode_number == before.inode_number);
  CHECK(copy.Stat("in/below").changed == directory.changed);

  tree.Write("b", "another");
  chmod(tree.Path("c").c_str(), 0604);
  const CopyTotals totals = copy.Import(tree, "in", Mirror());
  CHECK(totals.unchanged == 4);
  CHECK(totals.bytes == Bytes{7});
  CHECK(copy.Differences("old", "in") == std::vector<std::string>{"b", "c"});
  CHECK(copy.Stat("in/c").permissions == 0604);
}

TEST_CASE("of a large file only blocks that differ are written") {
  Random random(TestSeed());
  HostTree tree;
  TreeCopies copy;
  const std::string content = Noise(random, kLarge);
  tree.Write("large", content);
  copy.Import(tree, "in", Mirror());
  Must(copy.image.paths().Clone("in", "old"));
  Must(copy.image.fs().Sync());
  const Bytes before = copy.image.fs().store().Stats().bytes_batches;
  const uint64_t inode = copy.Stat("in/large").inode_number;
  tree.WriteAt("large", kLarge / 2, "changed");
  copy.Import(tree, "in", Mirror());
  Must(copy.image.fs().Sync());
  CHECK(copy.image.fs().store().Stats().bytes_batches - before < KiB(16));
  std::string expected = content;
  expected.replace(kLarge / 2, 7, "changed");
  CHECK(copy.Read("in/large") == expected);
  CHECK(copy.Read("old/large") == content);
  CHECK(copy.Stat("in/large").inode_number == inode);
}

TEST_CASE("holes become holes again, and a file that is cut is cut") {
  Random random(TestSeed());
  HostTree tree;
  TreeCopies copy;
  tree.Write("large", Noise(random, kLarge));
  copy.Import(tree, "in", Mirror());
  host::resize_file(tree.Path("large"), 0);
  host::resize_file(tree.Path("large"), kLarge);
  tree.WriteAt("large", 1 << 20, "in the midst");
  copy.Import(tree, "in", Mirror());
  std::string expected(kLarge, '\0');
  expected.replace(1 << 20, 12, "in the midst");
  CHECK(copy.Read("in/large") == expected);
  host::resize_file(tree.Path("large"), 5000);
  tree.Touch("large");
  copy.Import(tree, "in", Mirror());
  CHECK(copy.Read("in/large") == std::string(5000, '\0'));
}

TEST_CASE("a file without a size until it is read takes the place of a large one") {
  HostTree tree;
  TreeCopies copy;
  tree.Write("file", std::string(kLarge, 'l'));
  Must(ImportTrees(&copy.image.fs(), {CopyPair{tree.Path("file"), "file"}}, {}));
  Must(ImportTrees(&copy.image.fs(), {CopyPair{"/proc/self/status", "file"}}, Mirror()));
  CHECK_THAT(copy.Read("file"), Catch::Matchers::StartsWith("Name:"));
}

TEST_CASE("a file that has names elsewhere is not changed there") {
  HostTree tree;
  TreeCopies copy;
  tree.Write("file", "before");
  tree.Write("large", std::string(kLarge, 'b'));
  copy.Import(tree, "in", Mirror());
  Must(copy.image.paths().Link("in/file", "outside"));
  Must(copy.image.paths().Link("in/large", "large"));
  tree.Write("file", "after!");
  tree.WriteAt("large", 0, "a");
  copy.Import(tree, "in", Mirror());
  CHECK(copy.Read("in/file") == "after!");
  CHECK(copy.Read("outside") == "before");
  CHECK(copy.Read("in/large")[0] == 'a');
  CHECK(copy.Read("large")[0] == 'b');

  Must(copy.image.paths().Link("in/file", "outside-too"));
  chmod(tree.Path("file").c_str(), 0600);
  copy.Import(tree, "in", Mirror());
  CHECK(copy.Stat("in/file").permissions == 0600);
  CHECK(copy.Stat("outside-too").permissions == 0644);
}

TEST_CASE("what the host does not have is removed, and told of") {
  HostTree tree;
  TreeCopies copy;
  host::create_directories(tree.Path("stays/below"));
  tree.Write("stays/file", "");
  host::create_directories(tree.Path("goes/below"));
  tree.Write("becomes", "a directory");
  host::create_directory(tree.Path("became"));
  copy.Import(tree, "in", {});
  Must(copy.image.paths().WriteFile("beside", ""));
  host::remove_all(tree.Path("goes"));
  host::remove(tree.Path("stays/file"));
  host::remove(tree.Path("becomes"));
  host::create_directory(tree.Path("becomes"));
  host::remove(tree.Path("became"));
  tree.Write("became", "a file");
  CopyOptions options;
  CHECK(test::Errno(ImportTrees(&copy.image.fs(), {CopyPair{tree.Path(), "in"}}, options)) == EISDIR);
  std::vector<std::string> removed;
  options.remove_others = true;
  options.removed = [&](std::string_view path) { removed.emplace_back(path); };
  CHECK(copy.Import(tree, "in", options).removed == 4);
  CHECK(removed == std::vector<std::string>{"in/goes", "in/became", "in/becomes", "in/stays/file"});
  CHECK(Must(copy.image.paths().List("in")) == std::vector<std::string>{"became", "becomes", "stays"});
  CHECK(Must(copy.image.paths().List("/")) == std::vector<std::string>{"beside", "in"});
}

TEST_CASE("a directory that is left out, or named, or in the place of a file that cannot be opened does not give way") {
  HostTree tree;
  TreeCopies copy;
  host::create_directory(tree.Path("name"));
  tree.Write("name/file", "");
  copy.Import(tree, "in", {});
  host::remove_all(tree.Path("name"));
  tree.Write("name", "a file");
  CopyOptions options = Mirror();
  options.gone_without = [](const absl::Status&) {};
  options.progress = [&](const CopyTotals&, std::string_view path) {
    if (path == tree.Path("name")) host::remove(tree.Path("name"));
    return absl::OkStatus();
  };
  CHECK(copy.Import(tree, "in", options).removed == 0);
  CHECK(copy.Read("in/name/file").empty());

  tree.Write("name", "a file");
  options.progress = nullptr;
  int told = 0;
  options.gone_without = [&](const absl::Status& status) { told += test::Errno(status) == EISDIR ? 1 : 0; };
  const CopyTotals named = Must(ImportTrees(&copy.image.fs(), {CopyPair{tree.Path("name"), "in"}}, options));
  CHECK((told == 1 && named.gone_without == 1 && named.removed == 0));
  CHECK(copy.Read("in/name/file").empty());
  CopyOptions leaves_out = options;
  Must(leaves_out.exclusions.Add("name/"));
  CHECK(copy.Import(tree, "in", leaves_out).removed == 0);
  CHECK(copy.Read("in/name/file").empty());
  CHECK(copy.Import(tree, "in", options).removed == 1);
  CHECK(copy.Read("in/name") == "a file");
}

TEST_CASE("nothing is removed for what cannot be read") {
  HostTree tree;
  TreeCopies copy;
  host::create_directory(tree.Path("directory"));
  tree.Write("directory/file", "");
  tree.Write("file", "");
  copy.Import(tree, "in", {});
  CopyOptions options = Mirror();
  options.gone_without = [](const absl::Status&) {};
  options.progress = [&](const CopyTotals&, std::string_view path) {
    if (path == tree.Path("directory")) host::remove_all(tree.Path("directory"));  // it was looked at, not yet opened
    return absl::OkStatus();
  };
  const CopyTotals totals = copy.Import(tree, "in", options);
  CHECK(totals.gone_without > 0);
  CHECK(totals.removed == 0);
  CHECK(copy.Read("in/directory/file").empty());
}

}  // namespace betr::fs
