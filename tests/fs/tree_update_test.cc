// SPDX-License-Identifier: Apache-2.0
// Trees of the host that are copied over an earlier copy: only what differs is written, and the result is what a new
// copy would be.
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "base/random.h"
#include "fs/tree_copy.h"
#include "support/device/temp_dir.h"
#include "support/fs/image.h"
#include "support/must.h"
#include "support/seed.h"

namespace betr::fs {
namespace {

namespace host = std::filesystem;

using test::Must;

constexpr size_t kLarge = (size_t{3} << 20) + 1234;

CopyOptions Mirror() {
  CopyOptions options;
  options.update = true;
  options.remove_others = true;
  return options;
}

// A tree of the host, each of whose changes has a time of its own.
class HostTree {
 public:
  HostTree() { host::create_directory(Path()); }

  std::string Path(const std::string& name = "") const {
    return directory_.File("tree" + (name.empty() ? "" : "/" + name));
  }

  void Write(const std::string& name, const std::string& content) {
    std::ofstream(Path(name), std::ios::trunc) << content;
    Touch(name);
  }

  void WriteAt(const std::string& name, uint64_t offset, const std::string& content) {
    std::fstream file(Path(name));
    file.seekp(static_cast<std::streamoff>(offset));
    file << content;
    file.close();
    Touch(name);
  }

  void Touch(const std::string& name) {
    const timespec times[2] = {{.tv_sec = ++time_, .tv_nsec = 1}, {.tv_sec = time_, .tv_nsec = 7}};
    REQUIRE(utimensat(AT_FDCWD, Path(name).c_str(), times, AT_SYMLINK_NOFOLLOW) == 0);
  }

 private:
  TempDir directory_;
  time_t time_ = 1'000'000;
};

class Copy {
 public:
  CopyTotals Import(const HostTree& tree, const std::string& inside, const CopyOptions& options) {
    return Must(ImportTrees(&image.fs(), {CopyPair{tree.Path(), inside}}, options));
  }

  std::vector<std::string> Differences(const std::string& before, const std::string& after) {
    std::vector<std::string> found;
    Must(image.paths().FindDifferences(before, after, [&](const EntryDifference& difference) {
      found.push_back(difference.path);
      return absl::OkStatus();
    }));
    return found;
  }

  // Which names are links of each other: for each path the first one of its file.
  std::map<std::string, std::string> Links(const std::string& inside) {
    std::map<uint64_t, std::string> first;
    std::map<std::string, std::string> links;
    Must(image.paths().Walk(inside, [&](const std::string& path, const FileAttributes& attributes) {
      links[path] = first.try_emplace(attributes.inode_number, path).first->second;
      return absl::OkStatus();
    }));
    return links;
  }

  FileAttributes Stat(const std::string& path) { return Must(image.paths().Stat(path)); }
  std::string Read(const std::string& path) { return Must(image.paths().ReadFile(path)); }

  test::Image image;
};

std::string Noise(Random& random, size_t size) {
  std::string bytes(size, '\0');
  for (char& byte : bytes) byte = static_cast<char>(random.Next());
  return bytes;
}

// One random change of a tree.
class Change {
 public:
  Change(HostTree* tree, Random* random) : tree_(*tree), random_(*random) {}

  void Make() {
    const std::string name = Name();
    const std::string path = tree_.Path(name);
    const host::file_status status = host::symlink_status(path);
    switch (random_.Uniform(9)) {
      case 0:
        Clear(path);
        return tree_.Write(name, Noise(random_, random_.Uniform(3000)));
      case 1:
        Clear(path);
        host::create_symlink(Name(), path);
        return tree_.Touch(name);
      case 2:
        if (!host::is_directory(status)) Clear(path);
        host::create_directories(path);
        return;
      case 3:
        return Clear(path);
      case 4:
        if (host::is_regular_file(status)) chmod(path.c_str(), 0600 + static_cast<mode_t>(random_.Uniform(64)));
        return;
      case 5:
        if (!host::is_regular_file(status)) return;
        Clear(tree_.Path("other"));
        return host::create_hard_link(path, tree_.Path("other"));
      case 6:
        if (!host::is_regular_file(status)) return;
        lremovexattr(path.c_str(), "user.a");
        if (random_.OneIn(2)) lsetxattr(path.c_str(), "user.a", name.data(), name.size(), 0);
        return;
      case 7:
        Clear(tree_.Path("large"));
        tree_.Write("large", "");
        host::resize_file(tree_.Path("large"), kLarge + random_.Uniform(10000));
        return tree_.Touch("large");
      default:
        if (!host::is_regular_file(host::symlink_status(tree_.Path("large")))) return;
        if (random_.OneIn(4)) host::resize_file(tree_.Path("large"), kLarge - random_.Uniform(kLarge / 2));
        return tree_.WriteAt("large", random_.Uniform(kLarge), Noise(random_, random_.Uniform(9000)));
    }
  }

 private:
  // Sometimes a parent of others.
  std::string Name() {
    std::string name(1, static_cast<char>('a' + random_.Uniform(4)));
    if (random_.OneIn(2) && host::is_directory(host::symlink_status(tree_.Path(name)))) {
      name += "/" + std::string(1, static_cast<char>('a' + random_.Uniform(4)));
    }
    return name;
  }

  static void Clear(const std::string& path) { host::remove_all(path); }

  HostTree& tree_;
  Random& random_;
};

}  // namespace

TEST_CASE("a copy that is updated is what a new copy is") {
  Random random(TestSeed());
  HostTree tree;
  Copy copy;
  for (int round = 0; round < 40 * TestScale(); ++round) {
    for (uint64_t i = random.Uniform(8); i > 0; --i) Change(&tree, &random).Make();
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
  Copy copy;
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
  Copy copy;
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
  Copy copy;
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
  Copy copy;
  tree.Write("file", std::string(kLarge, 'l'));
  Must(ImportTrees(&copy.image.fs(), {CopyPair{tree.Path("file"), "file"}}, {}));
  Must(ImportTrees(&copy.image.fs(), {CopyPair{"/proc/self/status", "file"}}, Mirror()));
  CHECK_THAT(copy.Read("file"), Catch::Matchers::StartsWith("Name:"));
}

TEST_CASE("a file that has names elsewhere is not changed there") {
  HostTree tree;
  Copy copy;
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
  Copy copy;
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

TEST_CASE("a directory does not give way to a file that cannot be opened, nor under the name that is given") {
  HostTree tree;
  Copy copy;
  host::create_directory(tree.Path("name"));
  tree.Write("name/file", "");
  copy.Import(tree, "in", {});
  host::remove_all(tree.Path("name"));
  tree.Write("name", "a file");
  CopyOptions options = Mirror();
  options.unreadable = [](const absl::Status&) {};
  options.progress = [&](const CopyTotals&, std::string_view path) {
    if (path == tree.Path("name")) host::remove(tree.Path("name"));
    return absl::OkStatus();
  };
  CHECK(copy.Import(tree, "in", options).removed == 0);
  CHECK(copy.Read("in/name/file").empty());

  tree.Write("name", "a file");
  options.progress = nullptr;
  int told = 0;
  options.unreadable = [&](const absl::Status& status) { told += test::Errno(status) == EISDIR ? 1 : 0; };
  const CopyTotals named = Must(ImportTrees(&copy.image.fs(), {CopyPair{tree.Path("name"), "in"}}, options));
  CHECK((told == 1 && named.unreadable == 1 && named.removed == 0));
  CHECK(copy.Read("in/name/file").empty());
  CHECK(copy.Import(tree, "in", options).removed == 1);
  CHECK(copy.Read("in/name") == "a file");
}

TEST_CASE("nothing is removed for what cannot be read") {
  HostTree tree;
  Copy copy;
  host::create_directory(tree.Path("directory"));
  tree.Write("directory/file", "");
  tree.Write("file", "");
  copy.Import(tree, "in", {});
  CopyOptions options = Mirror();
  options.unreadable = [](const absl::Status&) {};
  options.progress = [&](const CopyTotals&, std::string_view path) {
    if (path == tree.Path("directory")) host::remove_all(tree.Path("directory"));  // it was looked at, not yet opened
    return absl::OkStatus();
  };
  const CopyTotals totals = copy.Import(tree, "in", options);
  CHECK(totals.unreadable > 0);
  CHECK(totals.removed == 0);
  CHECK(copy.Read("in/directory/file").empty());
}

}  // namespace betr::fs
