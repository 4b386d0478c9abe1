// SPDX-License-Identifier: Apache-2.0
// The checker, where clones have link groups with the numbers of their originals and something of either is lost: no
// name becomes one of another file.
#include <catch2/catch.hpp>
#include <set>
#include <string>
#include <vector>

#include "fs/key.h"
#include "fs/record.h"
#include "support/fs/planted.h"
#include "support/must.h"

namespace betr::test {
namespace {

using fs::CheckCode;
using fs::CheckFinding;
using planted::Damage;
using planted::Run;
using planted::Trees;
namespace key = fs::key;

const std::string kX = key::Content("", "x");
const std::string kC = key::Content("", "c");

// /x/f and /x/sub/f, two names of one file, and a clone of /x, /c, whose file is another one since.
void FillLinks(Image& image) {
  PathFileSystem& paths = image.paths();
  Must(paths.MakeDirectories("x/sub"));
  Must(paths.WriteFile("x/f", "of x"));
  Must(paths.Link("x/f", "x/sub/f"));
  Must(paths.Clone("x", "c"));
  Must(paths.WriteFile("c/f", "of the clone"));
  image.Unmount();
}

void LoseGroups(const Trees& t, const std::string& home) {
  Must(t.store.EraseRange(t.meta, Range::Prefix(key::Groups(home))));
}
void LoseList(const Trees& t, const std::string& home) {
  Must(t.store.EraseRange(t.meta, Range::Prefix(key::GroupNames(home))));
}
void LoseHome(const Trees& t) {
  LoseGroups(t, kC);
  LoseList(t, kC);
}

using Names = std::set<std::string>;

// Repairs all that can be, and returns the names that it says are lost. Nothing is left to find.
Names Salvage(Image& image) {
  Names lost;
  std::string report;
  {
    const std::unique_ptr<Store> store = image.OpenStore();
    const auto found = [&](const CheckFinding& finding) {
      report += finding.path + ": " + finding.what + "\n";
      if (!finding.lost_name.empty()) CHECK(lost.insert(finding.lost_name).second);
    };
    CHECK(Must(fs::RepairFileSystem(store.get(), {}, found)).findings == 0);
    Must(store->Close());
  }
  UNSCOPED_INFO(report);
  CHECK(Run(image, false).empty());
  return lost;
}

std::string Read(Image& image, const std::string& path) {
  INFO(path << " in\n" << Describe(image.paths(), ""));
  return Must(image.paths().ReadFile(path));
}

void CheckFile(Image& image, const std::string& name, const std::string& content) {
  CHECK(Read(image, name + "/f") == content);
  CHECK(Read(image, name + "/sub/f") == content);
  CHECK(Must(image.paths().Stat(name + "/f")).links == 2);
  CHECK(Must(image.paths().Stat(name + "/f")).inode_number == Must(image.paths().Stat(name + "/sub/f")).inode_number);
}

// The only file in a directory of lost+found.
std::string Rescued(Image& image, const std::string& directory) {
  INFO(Describe(image.paths(), ""));
  for (const std::string& name : Must(image.paths().List(directory))) {
    if (name.starts_with("link-")) return Read(image, directory + "/" + name);
  }
  return "nothing";
}

TEST_CASE("names whose link home is lost are not those of the home above", "[fs][links]") {
  Image image;
  FillLinks(image);
  SECTION("with its list") { Damage(image, LoseHome); }
  SECTION("which lists them still") {
    Damage(image, [](const Trees& t) { LoseGroups(t, kC); });
  }
  SECTION("with the directory's record") {
    Damage(image, [](const Trees& t) {
      LoseHome(t);
      Must(t.store.Erase(t.meta, key::Entry("", "c")));
    });
  }
  SECTION("and what the home above lists, too") {
    Damage(image, [](const Trees& t) {
      LoseHome(t);
      LoseList(t, "");
    });
  }
  SECTION("because its record is damaged") {
    Damage(image, [](const Trees& t) {
      const auto groups = Must(t.store.NewCursor(t.meta, Range::Prefix(key::Groups(kC))));
      groups->SeekToFirst();
      REQUIRE(groups->Valid());
      Must(t.store.Put(t.meta, groups->Key(), "garbage"));
    });
  }
  CHECK(Salvage(image) == Names{"/c/f", "/c/sub/f"});
  CheckFile(image, "x", "of x");
  CHECK_FALSE(Must(image.paths().Exists("c/f")));
  CHECK_FALSE(Must(image.paths().Exists("c/sub/f")));
  CHECK(Rescued(image, "lost+found/c") == "of the clone");
}

TEST_CASE("without guessing, names whose link home is lost stay as they are", "[fs][links]") {
  Image image;
  FillLinks(image);
  Damage(image, LoseHome);
  const size_t found = Run(image, false).size();
  for (const CheckFinding& finding : Run(image, true)) {
    const bool is_name = finding.path == "c/f" || finding.path == "c/sub/f";
    const bool is_content = finding.code == CheckCode::kContent;  // of the clone's group
    CHECK(finding.repaired == (!is_name && !is_content));
    CHECK(is_name == (finding.code == CheckCode::kReference));
    CHECK(finding.lost_name.empty());
  }
  CHECK(found >= 2);
  CHECK(Salvage(image) == Names{"/c/f", "/c/sub/f"});
  CheckFile(image, "x", "of x");
}

TEST_CASE("a clone whose directory's record is lost keeps its files, and so does its original", "[fs][links]") {
  Image image;
  FillLinks(image);
  Damage(image, [](const Trees& t) { Must(t.store.Erase(t.meta, key::Entry("", "c"))); });
  CHECK(Salvage(image).empty());
  CheckFile(image, "x", "of x");
  CheckFile(image, "c", "of the clone");
}

TEST_CASE("names that a link home has lost go on being its own", "[fs][links]") {
  Image image;
  FillLinks(image);
  SECTION("all of them") {
    Damage(image, [](const Trees& t) { LoseList(t, ""); });
    for (const CheckFinding& finding : Run(image, false)) CHECK(finding.repairable);
  }
  SECTION("of a clone") {
    Damage(image, [](const Trees& t) { LoseList(t, kC); });
    for (const CheckFinding& finding : Run(image, false)) CHECK(finding.repairable);
  }
  SECTION("one that was renamed, and is listed as before") {
    Damage(image, [](const Trees& t) {
      const std::string value = *Must(t.store.Get(t.meta, key::Entry(kX, "f")));
      Must(t.store.Put(t.meta, key::GroupName("", key::Entry(kX, "old")),
                       *Must(t.store.Get(t.meta, key::GroupName("", key::Entry(kX, "f"))))));
      Must(t.store.Erase(t.meta, key::GroupName("", key::Entry(kX, "f"))));
    });
    // Only a guess; and what leads to it stays till then.
    for (const CheckFinding& finding : Run(image, true)) CHECK_FALSE(finding.repaired);
  }
  CHECK(Salvage(image).empty());
  CheckFile(image, "x", "of x");
  CheckFile(image, "c", "of the clone");
}

TEST_CASE("a name too many is none of a group that has all of its own", "[fs][links]") {
  Image image;
  FillLinks(image);
  Damage(image, [](const Trees& t) {
    Must(t.store.Put(t.meta, key::Entry(kX, "more"), *Must(t.store.Get(t.meta, key::Entry(kX, "f")))));
  });
  for (const CheckFinding& finding : Run(image, true)) CHECK_FALSE(finding.repaired);
  CHECK(Salvage(image) == Names{"/x/more"});
  CheckFile(image, "x", "of x");
  CHECK_FALSE(Must(image.paths().Exists("x/more")));
}

TEST_CASE("where nobody knows which names are a group's, its content goes to lost+found", "[fs][links]") {
  Image image;
  FillLinks(image);
  Damage(image, [](const Trees& t) {
    LoseList(t, "");
    Must(t.store.Put(t.meta, key::Entry(kX, "more"), *Must(t.store.Get(t.meta, key::Entry(kX, "f")))));
  });
  CHECK(Salvage(image) == Names{"/x/f", "/x/sub/f", "/x/more"});
  CHECK(Rescued(image, "lost+found") == "of x");
  CheckFile(image, "c", "of the clone");
}

TEST_CASE("a salvage keeps a file that has lost all of its names", "[fs][links]") {
  Image image;
  PathFileSystem& paths = image.paths();
  Must(paths.WriteFile("f", std::string(10000, 'f')));
  Must(paths.Link("f", "g"));
  Must(image.fs().SetXattr(Must(paths.Open("f")).inode(), "user.x", std::string(3000, 'x')));
  Must(paths.MakeSymlink("to there", "s"));
  Must(paths.Link("s", "t"));
  Must(paths.WriteFile("empty", ""));
  Must(paths.Link("empty", "void"));
  image.Unmount();
  Damage(image, [](const Trees& t) {
    LoseList(t, "");
    for (const char* name : {"f", "g", "s", "t", "empty", "void"}) Must(t.store.Erase(t.meta, key::Entry("", name)));
  });
  CHECK(Salvage(image).empty());
  std::vector<std::string> kept = Must(image.paths().List("lost+found"));
  REQUIRE(kept.size() == 2);
  CHECK(Read(image, "lost+found/" + kept[0]) == std::string(10000, 'f'));
  const InodeId file = Must(image.paths().Open("lost+found/" + kept[0])).inode();
  CHECK(Must(image.fs().GetXattr(file, "user.x")) == std::string(3000, 'x'));
  CHECK(Must(image.paths().Stat("lost+found/" + kept[0])).links == 1);
  CHECK(Must(image.paths().ReadLink("lost+found/" + kept[1])) == "to there");
}

// What a salvage of the store finds without a place, and takes over.
void MoveToNode(const Trees& t, const std::string& content, const std::string& tail) {
  const std::string node = key::Content(key::Content("", "lost+found"), "node-7") + tail;
  for (const TreeId tree : {t.meta, t.data}) Must(t.store.RenamePrefix(tree, content, tree, node));
}

TEST_CASE("an attribute that a file without names has lost is told once", "[fs][links]") {
  Image image;
  FillLinks(image);
  const std::string group = key::Group("", 1);
  Damage(image, [&](const Trees& t) {
    fs::InodeRecord record;
    record.links = 2;
    record.number = 2;
    record.size = 5;
    record.xattrs = {{.name = "user.gone", .external = true, .size = 3000, .value = {}},
                     {.name = "user.kept", .external = true, .size = 3000, .value = {}}};
    Must(t.store.Put(t.meta, group, fs::EncodeInode(record)));
    Must(t.store.Put(t.data, key::Block(group, 0), "bytes"));
    Must(t.store.Put(t.data, key::Xattr(group, "user.kept"), std::string(3000, 'k')));
  });
  std::vector<std::string> lost;
  {
    const std::unique_ptr<Store> store = image.OpenStore();
    const auto found = [&](const CheckFinding& finding) {
      if (!finding.lost_attribute.empty()) lost.push_back(finding.lost_attribute);
    };
    CHECK(Must(fs::RepairFileSystem(store.get(), nullptr, found)).errors_left == 0);
    Must(store->Close());
  }
  CHECK(lost == std::vector<std::string>{"user.gone"});
  const OpenFile kept = Must(image.paths().Open("lost+found/link-1"));
  CHECK(Must(image.fs().ListXattrs(kept.inode())) == std::vector<std::string>{"user.kept"});
}

TEST_CASE("names that have lost the front of their path stay those of their file", "[fs][links]") {
  Image image;
  FillLinks(image);
  SECTION("a part of it") {
    Damage(image, [](const Trees& t) { MoveToNode(t, key::Content(kX, "sub"), key::Content("", "b")); });
    CHECK(Salvage(image).empty());
    CHECK(Read(image, "lost+found/node-7/b/f") == "of x");
  }
  SECTION("all of it") {
    Damage(image, [](const Trees& t) { MoveToNode(t, key::Content(kX, "sub"), ""); });
    CHECK(Salvage(image).empty());
    CHECK(Read(image, "lost+found/node-7/f") == "of x");
  }
  CHECK(Read(image, "x/f") == "of x");
  CHECK(Must(image.paths().Stat("x/f")).links == 2);
  CheckFile(image, "c", "of the clone");
}

TEST_CASE("names of a clone that have lost its front are not those of the original", "[fs][links]") {
  Image image;
  FillLinks(image);
  Damage(image, [](const Trees& t) { MoveToNode(t, key::Content(kC, "sub"), key::Content("", "b")); });
  CHECK(Salvage(image) == Names{"/lost+found/node-7/b/f"});
  CheckFile(image, "x", "of x");
  CHECK(Read(image, "c/f") == "of the clone");
}

}  // namespace
}  // namespace betr::test
