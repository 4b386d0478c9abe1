// SPDX-License-Identifier: Apache-2.0
// How two trees differ is what comparing all that is in them says, whatever was cloned, linked and changed before.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cerrno>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/random.h"
#include "fs/key.h"
#include "fs/record.h"
#include "support/fs/image.h"
#include "support/fs/planted.h"
#include "support/seed.h"

namespace betr::test {
namespace {

// "A path", "D path", "T path", or "M path" and what differs: c(ontent), p(ermissions), o(wner), t(ime), x(attrs).
std::string Line(const EntryDifference& difference) {
  if (!difference.before || !difference.after) return (difference.after ? "A " : "D ") + difference.path;
  const FileAttributes& before = *difference.before;
  const FileAttributes& after = *difference.after;
  if (before.type != after.type) return "T " + difference.path;
  std::string what;
  what += difference.content ? "c" : "";
  what += before.permissions != after.permissions ? "p" : "";
  what += before.uid != after.uid || before.gid != after.gid ? "o" : "";
  what += before.modified != after.modified ? "t" : "";
  what += difference.xattrs ? "x" : "";
  return "M " + difference.path + " " + what;
}

using Lines = std::vector<std::string>;

Lines Found(PathFileSystem& paths, const std::string& before, const std::string& after) {
  Lines lines;
  const absl::Status status = paths.FindDifferences(before, after, [&](const EntryDifference& difference) {
    lines.push_back(Line(difference));
    return absl::OkStatus();
  });
  INFO(before << " and " << after << ": " << status);
  REQUIRE(status.ok());
  return lines;
}

// Everything about one name.
struct Seen {
  FileAttributes attributes;
  std::string content;
  std::map<std::string, std::string> xattrs;
};
using Tree = std::map<std::string, Seen>;

Tree SeenBelow(PathFileSystem& paths, const std::string& top) {
  Tree tree;
  const auto visit = [&](const std::string& path, const FileAttributes& attributes) {
    const std::string whole = top + (path.empty() || top.empty() ? "" : "/") + path;
    Seen& seen = tree[path];
    seen.attributes = attributes;
    if (attributes.type == FileType::kRegular) {
      seen.content = *paths.ReadFile(whole);
    } else if (attributes.type == FileType::kSymlink) {
      seen.content = *paths.ReadLink(whole);
    }
    const OpenFile file = *paths.Open(whole);
    const std::vector<std::string> names = *paths.fs().ListXattrs(file.inode());
    for (const std::string& name : names) seen.xattrs[name] = *paths.fs().GetXattr(file.inode(), name);
    return absl::OkStatus();
  };
  REQUIRE(paths.Walk(top, visit).ok());
  return tree;
}

// By reading all of both.
std::multiset<std::string> Expected(PathFileSystem& paths, const std::string& before, const std::string& after) {
  const Tree from = SeenBelow(paths, before);
  const Tree to = SeenBelow(paths, after);
  std::set<std::string> all;
  for (const Tree* tree : {&from, &to}) {
    for (const auto& [path, seen] : *tree) all.insert(path);
  }
  std::multiset<std::string> lines;
  std::set<std::string> told;  // directories of which nothing below is told
  for (const std::string& path : all) {
    bool is_below_told = false;
    for (size_t end = path.find('/'); end != std::string::npos; end = path.find('/', end + 1)) {
      is_below_told = is_below_told || told.contains(path.substr(0, end));
    }
    if (is_below_told) continue;
    EntryDifference difference{.path = path, .before = std::nullopt, .after = std::nullopt};
    const auto in_from = from.find(path);
    const auto in_to = to.find(path);
    const bool are_two = in_from != from.end() && in_to != to.end();
    if (in_from != from.end()) difference.before = in_from->second.attributes;
    if (in_to != to.end()) difference.after = in_to->second.attributes;
    if (are_two) {
      difference.content = in_from->second.content != in_to->second.content;
      difference.xattrs = in_from->second.xattrs != in_to->second.xattrs;
    }
    if (!are_two || difference.before->type != difference.after->type) told.insert(path);
    const std::string line = Line(difference);
    if (line != "M " + path + " ") lines.insert(line);
  }
  return lines;
}

void Compare(PathFileSystem& paths, const std::string& before, const std::string& after) {
  const Lines lines = Found(paths, before, after);
  const std::multiset<std::string> found(lines.begin(), lines.end());
  const std::multiset<std::string> expected = Expected(paths, before, after);
  Lines missing;
  Lines wrong;
  std::ranges::set_difference(expected, found, std::back_inserter(missing));
  std::ranges::set_difference(found, expected, std::back_inserter(wrong));
  INFO(before << " and " << after);
  CHECK(missing == Lines());
  CHECK(wrong == Lines());
}

void MakeTree(PathFileSystem& paths, const std::string& top) {
  REQUIRE(paths.MakeDirectories(top + "/sub/deep").ok());
  for (int i = 0; i < 40; ++i) {
    REQUIRE(paths.WriteFile(top + "/f" + std::to_string(i), std::string(1000 * i, 'x')).ok());
    REQUIRE(paths.WriteFile(top + "/sub/deep/g" + std::to_string(i), "deep " + std::to_string(i)).ok());
  }
  REQUIRE(paths.MakeSymlink("sub", top + "/link").ok());
}

TEST_CASE("a clone differs from its source in what was changed", "[fs][difference]") {
  Image image;
  PathFileSystem& paths = image.paths();
  MakeTree(paths, "t");
  REQUIRE(paths.Clone("t", "c").ok());
  CHECK(Found(paths, "t", "c").empty());
  CHECK(Found(paths, "t/f7", "c/f7").empty());
  image.Tick();
  REQUIRE(paths.WriteFile("c/f3", "changed").ok());
  REQUIRE(paths.WriteFile("c/new", "new").ok());
  REQUIRE(paths.Unlink("c/f5").ok());
  REQUIRE(paths.SetAttributes("c/f6", {.permissions = 0600}).ok());
  REQUIRE(paths.SetAttributes("t/sub/deep/g1", {.uid = 7}).ok());
  REQUIRE(paths.fs().SetXattr(paths.Open("c/f9")->inode(), "user.large", std::string(3000, 'v')).ok());
  REQUIRE(paths.Unlink("c/link").ok());
  REQUIRE(paths.MakeSymlink("elsewhere", "c/link").ok());
  REQUIRE(paths.MakeDirectories("c/more/below").ok());
  const Lines expected = {"M  t",      "D f5",   "M f3 ct", "M f6 p",         "M f9 x",
                          "M link ct", "A more", "A new",   "M sub/deep/g1 o"};
  const Lines found = Found(paths, "t", "c");
  CHECK(std::multiset<std::string>(found.begin(), found.end()) ==
        std::multiset<std::string>(expected.begin(), expected.end()));
  Compare(paths, "t", "c");
  Compare(paths, "c", "t");
  CHECK(Found(paths, "t/f3", "c/f3") == Lines{"M  ct"});
  CHECK(Found(paths, "t/f3", "c/sub") == Lines{"T "});
  image.Unmount();
  Compare(image.paths(), "t", "c");
  image.Check();
}

TEST_CASE("bytes that are zero and holes are alike", "[fs][difference]") {
  Image image;
  PathFileSystem& paths = image.paths();
  REQUIRE(paths.MakeDirectories("t").ok());
  REQUIRE(paths.WriteFile("t/f", std::string(20000, '\0')).ok());
  REQUIRE(paths.Clone("t", "c").ok());
  const OpenFile file = *paths.Open("c/f");
  REQUIRE(paths.fs().Allocate(file.inode(), AllocateMode::kPunchHole, 4096, 8192).ok());
  Compare(paths, "t", "c");
}

// What belongs to a file with several names lies in a link home, which is the root of one and the top of the other.
TEST_CASE("files with several names differ by each of their names", "[fs][difference]") {
  Image image;
  PathFileSystem& paths = image.paths();
  MakeTree(paths, "t");
  REQUIRE(paths.Link("t/f1", "t/sub/one").ok());
  REQUIRE(paths.Link("t/f2", "t/sub/two").ok());
  REQUIRE(paths.Link("t/f3", "outside").ok());
  REQUIRE(paths.Clone("t", "c").ok());
  CHECK(Found(paths, "t", "c").empty());
  image.Tick();
  REQUIRE(paths.WriteFile("c/sub/one", "other").ok());
  REQUIRE(paths.WriteFile("outside", "changed by the name that is in neither").ok());
  REQUIRE(paths.fs().SetXattr(paths.Open("c/f2")->inode(), "user.large", std::string(3000, 'v')).ok());
  const Lines found = Found(paths, "t", "c");
  CHECK(std::multiset<std::string>(found.begin(), found.end()) ==
        std::multiset<std::string>{"M f1 ct", "M sub/one ct", "M f2 x", "M sub/two x", "M f3 ct"});
  Compare(paths, "t", "c");
  // A home inside of both.
  REQUIRE(paths.Clone("c", "again").ok());
  REQUIRE(paths.Clone("t", "again/inner").ok());
  REQUIRE(paths.Clone("again", "other").ok());
  REQUIRE(paths.WriteFile("other/inner/f2", "two names").ok());
  Compare(paths, "again", "other");
  Compare(paths, "t", "other/inner");
  // One name becomes a file of its own, and the other way round.
  REQUIRE(paths.Unlink("other/f1").ok());
  REQUIRE(paths.WriteFile("other/f1", "alone").ok());
  REQUIRE(paths.Link("other/f20", "other/f1a").ok());
  Compare(paths, "again", "other");
  image.Check();
}

TEST_CASE("what cannot be compared is an error", "[fs][difference]") {
  Image image;
  PathFileSystem& paths = image.paths();
  MakeTree(paths, "t");
  const auto none = [](const EntryDifference&) { return absl::OkStatus(); };
  CHECK(Errno(paths.FindDifferences("t", "none", none)) == ENOENT);
  const OpenFile removed = *paths.Open("t/sub");
  REQUIRE(paths.Clone("t", "c").ok());
  REQUIRE(paths.RemoveTree("t/sub").ok());
  CHECK(Errno(paths.fs().FindDifferences(removed.inode(), paths.Open("c/sub")->inode(), none)) == ENOENT);
  const absl::Status stopped =
      paths.FindDifferences("t", "c", [](const EntryDifference&) { return absl::CancelledError("enough"); });
  CHECK(absl::IsCancelled(stopped));
}

TEST_CASE("what is forged or damaged is an error at most", "[fs][difference]") {
  Image image;
  planted::Fill(image);
  REQUIRE(image.paths().Clone("d", "c").ok());
  image.Unmount();
  planted::Damage(image, [](const planted::Trees& trees) {
    // The list of a home has a name in a zone, as those below no zone cannot be.
    const std::string in_zone = fs::key::Zone(6) + fs::key::Entry("", "x");
    const std::string name = fs::key::GroupName(fs::key::Content("", "c"), in_zone);
    REQUIRE(trees.store.Put(trees.meta, name, fs::EncodeGroupName(1)).ok());
    REQUIRE(trees.store.Put(trees.meta, fs::key::Entry(fs::key::Content("", "c"), ".."), "no record").ok());
  });
  CHECK(Found(image.paths(), "d", "c").empty());
  image.Unmount();
  planted::Damage(image, [](const planted::Trees& trees) {
    REQUIRE(trees.store.Put(trees.meta, fs::key::Entry(fs::key::Content("", "c"), "f"), "no record").ok());
  });
  const auto none = [](const EntryDifference&) { return absl::OkStatus(); };
  CHECK(Errno(image.paths().FindDifferences("d", "c", none)) == EUCLEAN);
}

// Of `count` files, 10 were changed.
uint64_t ReadsOfDifference(int count) {
  ImageOptions options;
  options.size = MiB(128);
  Image image(options);
  REQUIRE(image.paths().MakeDirectories("t/a").ok());
  for (int i = 0; i < count; ++i) {
    REQUIRE(image.paths().WriteFile("t/a/f" + std::to_string(100'000 + i), std::string(100, 'x')).ok());
  }
  REQUIRE(image.paths().Clone("t", "c").ok());
  for (int i = 0; i < 10; ++i) {
    REQUIRE(image.paths().WriteFile("c/a/f" + std::to_string(100'000 + i * count / 10), "changed").ok());
  }
  image.Unmount();
  const StoreStats before = image.fs().store().Stats();
  CHECK(Found(image.paths(), "t", "c").size() >= 10);
  const StoreStats after = image.fs().store().Stats();
  return after.block_reads - before.block_reads + after.node_reads - before.node_reads;
}

TEST_CASE("comparing a clone reads what was changed, not what there is", "[fs][difference]") {
  const uint64_t of_few = ReadsOfDifference(1'000);
  const uint64_t of_many = ReadsOfDifference(10'000);
  CAPTURE(of_few, of_many);
  CHECK(of_many < 4 * of_few);
}

// Names of few directories, so that operations meet.
class Changes {
 public:
  explicit Changes(uint64_t seed) : random_(seed) {}

  std::string Directory() {
    std::string path = random_.OneIn(2) ? "a" : "b";
    for (uint64_t depth = random_.Uniform(3); depth > 0; --depth) {
      path += std::string("/") + static_cast<char>('a' + random_.Uniform(3));
    }
    return path;
  }
  std::string File() { return Directory() + "/f" + std::to_string(random_.Uniform(8)); }

  // Errors are those of names that are missing or taken.
  void Step(Image& image) {
    PathFileSystem& paths = image.paths();
    switch (random_.Uniform(12)) {
      case 0:
        paths.MakeDirectories(Directory()).IgnoreError();
        break;
      case 1:
        paths.Unlink(File()).IgnoreError();
        break;
      case 2:
        paths.Link(File(), File()).IgnoreError();
        break;
      case 3:
        paths.Rename(random_.OneIn(2) ? File() : Directory(), random_.OneIn(2) ? File() : Directory()).IgnoreError();
        break;
      case 4:
        paths.SetAttributes(File(), {.permissions = static_cast<uint32_t>(random_.Uniform(4))}).IgnoreError();
        break;
      case 5:
        SetXattr(image);
        break;
      case 6:
        CloneOver(paths);
        break;
      case 7:
        paths.MakeSymlink(std::to_string(random_.Uniform(3)), File()).IgnoreError();
        break;
      default:
        paths.WriteFile(File(), std::string(random_.Uniform(9000), static_cast<char>('a' + random_.Uniform(3))))
            .IgnoreError();
    }
    if (random_.OneIn(10)) image.Tick();
  }

 private:
  void SetXattr(Image& image) {
    const absl::StatusOr<OpenFile> file = image.paths().Open(random_.OneIn(3) ? Directory() : File());
    if (file.ok()) {
      const size_t size = random_.OneIn(2) ? 10 : 1000;
      image.fs()
          .SetXattr(file->inode(), "user.x", std::string(size, static_cast<char>('a' + random_.Uniform(2))))
          .IgnoreError();
    }
  }

  void CloneOver(PathFileSystem& paths) {
    const std::string to = random_.OneIn(2) ? "b" : Directory();
    const std::string from = random_.OneIn(2) ? "a" : Directory();
    if (!to.starts_with(from)) paths.RemoveTree(to).IgnoreError();
    paths.Clone(from, to).IgnoreError();
  }

  Random random_;
};

TEST_CASE("differences are those of the trees, after any operations", "[fs][difference]") {
  Changes changes(TestSeed());
  Image image;
  for (int round = 0; round < 150; ++round) {
    for (int step = 0; step < 20; ++step) changes.Step(image);
    INFO("round " << round);
    for (const std::string top : {"a", "b"}) {
      image.paths().MakeDirectories(top).IgnoreError();
      if (image.paths().Stat(top)->type != FileType::kDirectory) {
        REQUIRE(image.paths().Unlink(top).ok());
        REQUIRE(image.paths().MakeDirectories(top).ok());
      }
    }
    Compare(image.paths(), "a", "b");
    Compare(image.paths(), changes.Directory().substr(0, 1), "");
    if (round % 10 == 9) image.Unmount();
  }
  image.Check();
}

}  // namespace
}  // namespace betr::test
