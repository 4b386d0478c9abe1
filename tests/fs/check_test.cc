// SPDX-License-Identifier: Apache-2.0
// The checker: one planted damage for each thing that it looks for; what can be repaired is, and a second run is clean.
#include "fs/check/check.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <functional>
#include <vector>

#include "fs/attribute_delta.h"
#include "fs/key.h"
#include "fs/record.h"
#include "support/fs/planted.h"

namespace betr::test {
namespace {

using fs::CheckCode;
using fs::CheckFinding;
using planted::Case;
using planted::Change;
using planted::Damage;
using planted::Fill;
using planted::GroupKey;
using planted::Repair;
using planted::Run;
using planted::RunCase;
using planted::Trees;
namespace key = fs::key;

const std::string kD = key::Content("", "d");
const std::string kF = key::Entry(kD, "f");

void Record(const Trees& trees, const std::string& object, const std::function<void(fs::InodeRecord&)>& change) {
  fs::InodeRecord record = *fs::DecodeInode(**trees.store.Get(trees.meta, object), "record");
  change(record);
  REQUIRE(trees.store.Put(trees.meta, object, fs::EncodeInode(record)).ok());
}

// A number that no file was given yet.
void NumberAhead(fs::InodeRecord& record) { record.number = 1 << 30; }
// A value that is missing.
void AddLargeXattr(fs::InodeRecord& record) {
  record.xattrs.push_back({.name = "user.z", .external = true, .size = 3000, .value = {}});
}

std::vector<Case> StructureCases() {
  return {
      {"unknown key", CheckCode::kKey, false,
       [](const Trees& t) { REQUIRE(t.store.Put(t.meta, "nonsense", "x").ok()); }},
      {"undecodable record", CheckCode::kKey, false,
       [](const Trees& t) { REQUIRE(t.store.Put(t.meta, key::Entry(kD, "bad"), "x").ok()); }},
      {"missing version", CheckCode::kRoot, false,
       [](const Trees& t) { REQUIRE(t.store.Erase(t.meta, key::kVersionKey).ok()); }},
      {"missing parent", CheckCode::kParent, false,
       [](const Trees& t) { REQUIRE(t.store.Erase(t.meta, key::Entry(kD, "sub")).ok()); }},
      {"links of a directory", CheckCode::kLinks, true,
       [](const Trees& t) { Change(t, key::Entry("", "d"), {.links = 3}); }},
      {"links of an empty directory", CheckCode::kLinks, true,
       [](const Trees& t) {
         for (const TreeId tree : {t.meta, t.data}) {
           REQUIRE(t.store.EraseRange(tree, Range::Prefix(key::Content(kD, "sub"))).ok());
         }
         Change(t, key::Entry(kD, "sub"), {.links = 5});
       }},
      {"links of a file", CheckCode::kLinks, true, [](const Trees& t) { Change(t, kF, {.links = 1}); }},
      {"reach", CheckCode::kReach, true,
       [](const Trees& t) { Record(t, key::Entry("", "d"), [](fs::InodeRecord& d) { d.reach = 1; }); }},
      {"number", CheckCode::kNumber, true,
       [](const Trees& t) { REQUIRE(t.store.Put(t.meta, key::kNumberBoundKey, fs::EncodeNumberBound(2)).ok()); }},
      {"number of the root", CheckCode::kNumber, true,
       [](const Trees& t) { Record(t, std::string(key::kRootObject), NumberAhead); }},
      {"missing xattr of the root", CheckCode::kXattr, false,
       [](const Trees& t) { Record(t, std::string(key::kRootObject), AddLargeXattr); }},
      {"missing xattr of a directory", CheckCode::kXattr, false,
       [](const Trees& t) { Record(t, key::Entry("", "d"), AddLargeXattr); }},
      {"orphan", CheckCode::kOrphan, true,
       [](const Trees& t) { REQUIRE(t.store.Put(t.meta, key::Orphan(9), **t.store.Get(t.meta, kF)).ok()); }},
      {"bad list of erases", CheckCode::kLeftover, false,
       [](const Trees& t) { REQUIRE(t.store.Put(t.meta, key::kErasesKey, "nonsense").ok()); }},
      {"leftover", CheckCode::kLeftover, true,
       [](const Trees& t) { REQUIRE(t.store.Put(t.meta, std::string(key::kScratchPrefix) + "x", "y").ok()); }},
  };
}

// A link group without names.
void AddGroup(const Trees& trees, uint64_t size) {
  REQUIRE(trees.store.Put(trees.meta, key::Group("", 12345), **trees.store.Get(trees.meta, GroupKey(trees))).ok());
  Record(trees, key::Group("", 12345), [&](fs::InodeRecord& record) { record.size = size; });
}

std::vector<Case> LinkAndContentCases() {
  return {
      {"links of a group", CheckCode::kLinks, true, [](const Trees& t) { Change(t, GroupKey(t), {.links = 4}); }},
      {"number of a group", CheckCode::kNumber, true, [](const Trees& t) { Record(t, GroupKey(t), NumberAhead); }},
      {"missing xattr of a group", CheckCode::kXattr, false,
       [](const Trees& t) { Record(t, GroupKey(t), AddLargeXattr); }},
      {"unlisted name", CheckCode::kGroupName, true,
       [](const Trees& t) { REQUIRE(t.store.Erase(t.meta, key::GroupName("", key::Entry("", "l"))).ok()); }},
      {"listed and no name", CheckCode::kGroupName, true,
       [](const Trees& t) {
         REQUIRE(t.store.Put(t.meta, key::GroupName("", key::Entry("", "zz")), fs::EncodeGroupName(1)).ok());
       }},
      {"group without names", CheckCode::kGroup, false, [](const Trees& t) { AddGroup(t, 10); }},
      {"empty group without names", CheckCode::kGroup, true, [](const Trees& t) { AddGroup(t, 0); }},
      {"dangling reference", CheckCode::kReference, false,
       [](const Trees& t) { REQUIRE(t.store.Erase(t.meta, GroupKey(t)).ok()); }},
      {"group in no home", CheckCode::kHome, false,
       [](const Trees& t) {
         REQUIRE(t.store.Put(t.meta, key::Group(kD, 5), **t.store.Get(t.meta, GroupKey(t))).ok());
       }},
      {"missing xattr", CheckCode::kXattr, false,
       [](const Trees& t) { REQUIRE(t.store.Erase(t.data, key::Xattr(kF, "user.x")).ok()); }},
  };
}

// Content that belongs to nothing: what somebody may miss is no matter for a repair that must lose nothing.
std::vector<Case> StrayContentCases() {
  const auto data = [](const std::string& key, const std::string& value) {
    return [=](const Trees& t) { REQUIRE(t.store.Put(t.data, key, value).ok()); };
  };
  const std::string gone = key::Entry(kD, "gone");
  const std::string zeros(1, '\0');
  std::string last_block(1808, 'f');
  last_block.resize(4096, '\0');
  return {
      {"content without a file", CheckCode::kContent, false, data(key::Block(gone, 0), "x")},
      {"zeros without a file", CheckCode::kContent, false, data(key::Block(gone, 1), zeros)},
      {"xattr without a file", CheckCode::kContent, false, data(key::Xattr(gone, "user.x"), "x")},
      {"empty block without a file", CheckCode::kContent, true, data(key::Block(gone, 0), "")},
      {"content of a directory", CheckCode::kContent, false, data(key::Block(key::Entry("", "d"), 0), "x")},
      {"zeros of a directory", CheckCode::kContent, true, data(key::Block(key::Entry("", "d"), 0), zeros)},
      {"block beyond the end", CheckCode::kSize, false, data(key::Block(kF, 7), "x")},
      {"zeros beyond the end", CheckCode::kSize, true, data(key::Block(kF, 7), zeros)},
      {"last block too long", CheckCode::kSize, false, data(key::Block(kF, 2), std::string(4096, 'x'))},
      {"last block too long by zeros", CheckCode::kSize, true, data(key::Block(kF, 2), last_block)},
      {"unknown xattr", CheckCode::kXattr, false, data(key::Xattr(kF, "user.y"), "y")},
      {"empty unknown xattr", CheckCode::kXattr, true, data(key::Xattr(kF, "user.y"), "")},
  };
}

TEST_CASE("the checker finds and mends damage to directories and records", "[fs]") {
  for (const Case& test : StructureCases()) RunCase(test);
}

TEST_CASE("the checker finds and mends damage to links and content", "[fs]") {
  for (const Case& test : LinkAndContentCases()) RunCase(test);
}

TEST_CASE("the checker finds content that belongs to nothing, and without a salvage erases none", "[fs]") {
  for (const Case& test : StrayContentCases()) RunCase(test);
}

TEST_CASE("a repair that loses nothing leaves to a salvage what has lost all its names", "[fs]") {
  Image image;
  Fill(image);
  Damage(image, [](const Trees& t) {
    REQUIRE(t.store.Erase(t.meta, kF).ok());
    for (const std::string& name : {key::Entry("", "l"), key::Entry(kD, "l")}) {
      REQUIRE(t.store.Erase(t.meta, name).ok());
    }
  });
  for (const CheckFinding& finding : Run(image, true)) {
    CHECK(finding.repaired == (finding.code != CheckCode::kContent && finding.code != CheckCode::kGroup));
  }
  Repair(image);
  CHECK(*image.paths().ReadFile("lost+found/d/f") == std::string(10000, 'f'));
  CHECK(*image.paths().ReadFile("lost+found/link-7") == "linked");
}

TEST_CASE("a damaged record does not cost the content that may belong to it", "[fs]") {
  Image image;
  Fill(image);
  Damage(image, [](const Trees& t) { REQUIRE(t.store.Put(t.meta, kF, "garbage").ok()); });
  Run(image, true);
  const std::unique_ptr<Store> store = image.OpenStore(true);
  const auto block = store->Get(*store->FindTree(kDataTree), key::Block(kF, 0));
  REQUIRE(block.ok());
  CHECK(block->has_value());
}

TEST_CASE("a salvage moves content without a file to lost+found, and makes directories that are missing", "[fs]") {
  Image image;
  Fill(image);
  Damage(image, [](const Trees& t) {
    REQUIRE(t.store.Erase(t.meta, kF).ok());
    REQUIRE(t.store.Erase(t.meta, key::Entry("", "d")).ok());
    REQUIRE(t.store.Put(t.meta, key::Entry(kD, "sub"), **t.store.Get(t.meta, key::Entry("", "l"))).ok());
    REQUIRE(t.store.Erase(t.meta, GroupKey(t)).ok());
  });
  Repair(image);
  CHECK(Run(image, false).empty());
  INFO(Describe(image.paths(), ""));
  CHECK(*image.paths().ReadFile("lost+found/d/f") == std::string(10000, 'f'));
  CHECK(*image.paths().ReadFile("lost+found/d/sub/g") == "g");
  CHECK(image.paths().Stat("d")->permissions == 0700);
  CHECK(*image.paths().ReadFile("lost+found/link-7") == "linked");
  CHECK_FALSE(*image.paths().Exists("l"));
}

TEST_CASE("a file whose names are all unlisted is not taken for one without names", "[fs]") {
  Image image;
  Fill(image);
  Damage(image, [](const Trees& t) { REQUIRE(t.store.EraseRange(t.meta, Range::Prefix(key::GroupNames(""))).ok()); });
  for (const CheckFinding& finding : Run(image, true)) CHECK(finding.code == CheckCode::kGroupName);
  CHECK(Run(image, false).empty());
  CHECK(*image.paths().ReadFile("l") == "linked");
  CHECK(*image.paths().ReadFile("d/l") == "linked");
  CHECK(image.paths().Stat("l")->links == 2);
}

// Directories that the checker can tell from their clones, with `clones` clones beside them.
void FillClones(Image& image, int clones) {
  PathFileSystem& paths = image.paths();
  for (int d = 0; d < 10; ++d) {
    const std::string directory = "tree/" + std::to_string(d);
    REQUIRE(paths.MakeDirectories(directory).ok());
    for (int f = 0; f < 30; ++f) {
      REQUIRE(paths.WriteFile(directory + "/" + std::to_string(f), std::string(500, 'x')).ok());
    }
  }
  for (int i = 0; i < clones; ++i) REQUIRE(paths.Clone("tree", "clone" + std::to_string(i)).ok());
  image.Unmount();
}

fs::CheckSummary Summary(Image& image) {
  const std::unique_ptr<Store> store = image.OpenStore(true);
  const auto summary = fs::CheckFileSystem(store.get(), {.repair = false, .cancelled = {}}, [](const CheckFinding&) {});
  REQUIRE(summary.ok());
  return *summary;
}

TEST_CASE("what is in clones counts in a check", "[fs]") {
  Image image;
  FillClones(image, 20);
  const fs::CheckSummary summary = Summary(image);
  CHECK(summary.findings == 0);
  CHECK(summary.files == 21 * 300);
  CHECK(summary.directories == 21 * 11);
  CHECK(summary.blocks == 21 * 300);
}

TEST_CASE("the checker finds damage in one of many clones, and in all of them", "[fs]") {
  const auto findings = [](Image& image, const std::string& path) {
    Damage(image, [&](const Trees& t) {
      const std::string object = key::Entry(key::Content(key::Content("", path), "3"), "7");
      Change(t, object, {.links = 1});
    });
    return Run(image, false);
  };
  Image one;
  FillClones(one, 20);
  const std::vector<CheckFinding> found = findings(one, "clone5");
  REQUIRE(found.size() == 1);
  CHECK(found[0].path == "clone5/3/7");

  Image all;
  FillClones(all, 0);
  REQUIRE(findings(all, "tree").size() == 1);
  for (int i = 0; i < 5; ++i) REQUIRE(all.paths().Clone("tree", "clone" + std::to_string(i)).ok());
  all.Unmount();
  CHECK(Run(all, false).size() == 6);
  CHECK(Run(all, true).size() == 6);
  CHECK(Run(all, false).empty());
}

// A directory that is a link home, and in it a reference and a group that know nothing of each other.
void AddOddHome(const Trees& trees, const std::string& name) {
  const std::string content = key::Content("", name);
  fs::InodeRecord home;
  home.type = FileType::kDirectory;
  home.links = 2;
  home.number = 1000;
  home.link_home = true;
  fs::InodeRecord group;
  group.number = 1001;
  REQUIRE(trees.store.Put(trees.meta, key::Entry("", name), fs::EncodeInode(home)).ok());
  const std::string reference = fs::EncodeReference({FileType::kRegular, 99});
  REQUIRE(trees.store.Put(trees.meta, key::Entry(content, "reference"), reference).ok());
  REQUIRE(trees.store.Put(trees.meta, key::Group(content, 7), fs::EncodeInode(group)).ok());
}

TEST_CASE("directories that are missing are made anew however deep they are", "[fs]") {
  Image image;
  Fill(image);
  constexpr size_t kDepth = 1000;
  std::string content;
  std::string path;
  for (size_t i = 0; i < kDepth; ++i) {
    content = key::Content(content, "a");
    path += "a/";
  }
  Damage(image, [&](const Trees& t) {
    // More than one batch takes.
    REQUIRE(t.store.MaxBatch().bytes.value < kDepth * content.size());
    REQUIRE(t.store.Put(t.meta, key::Entry(content, "f"), **t.store.Get(t.meta, kF)).ok());
    REQUIRE(t.store.ClonePrefix(t.data, key::Attachments(kF), t.data, key::Attachments(key::Entry(content, "f"))).ok());
  });
  Repair(image);
  CHECK(Run(image, false).empty());
  CHECK(*image.paths().ReadFile(path + "f") == std::string(10000, 'f'));
}

TEST_CASE("names in findings are escaped", "[fs]") {
  const std::string odd = "new\nline \xff\xfe \x1b[31m back\\slash";
  Image image;
  REQUIRE(image.paths().WriteFile(odd + "file", "f").ok());
  const InodeId inode = image.paths().Open(odd + "file")->inode();
  REQUIRE(image.fs().SetXattr(inode, "user." + odd, std::string(3000, 'x')).ok());
  image.Unmount();
  const std::string file = key::Entry("", odd + "file");
  Damage(image, [&](const Trees& trees) {
    Change(trees, file, {.links = 1});
    REQUIRE(trees.store.Erase(trees.data, key::Xattr(file, "user." + odd)).ok());
    REQUIRE(trees.store.Put(trees.data, key::Xattr(file, "trusted." + odd), "y").ok());
    AddOddHome(trees, odd + "home");
  });
  std::string report;
  for (const CheckFinding& finding : Run(image, false)) report += finding.path + ": " + finding.what + "\n";
  INFO(report);
  const std::string escaped = "new\\x0aline \\xff\\xfe \\x1b[31m back\\\\slash";
  for (const std::string& text :
       {escaped + "file: 2 links", "the value of user." + escaped + " should", "a value for trusted." + escaped + ",",
        escaped + "home/reference: group 99 is not in /" + escaped + "home\n",
        "link group 7 in /" + escaped + "home has 0 names"}) {
    CHECK_THAT(report, Catch::Matchers::Contains(text));
  }
  CHECK_THAT(report, !Catch::Matchers::Contains("new\n") && !Catch::Matchers::Contains("\x1b"));
}

TEST_CASE("the checker can be cancelled, and needs a file system", "[fs]") {
  Image image;
  for (int i = 0; i < 3000; ++i) REQUIRE(image.paths().WriteFile(std::to_string(i), "").ok());
  image.Unmount();
  const std::unique_ptr<Store> store = image.OpenStore(true);
  const fs::CheckOptions options{.repair = false, .cancelled = [] { return true; }};
  const auto summary = fs::CheckFileSystem(store.get(), options, [](const CheckFinding&) {});
  CHECK(summary.status().code() == absl::StatusCode::kCancelled);
}

TEST_CASE("a salvage tells names and attributes that it takes away", "[fs]") {
  Image image;
  Fill(image);
  Damage(image, [](const Trees& t) {
    REQUIRE(t.store.Put(t.meta, key::Entry("", "bad"), "x").ok());
    REQUIRE(t.store.Put(t.meta, key::Entry(key::Content(kD, "sub"), "g"), "x").ok());
    REQUIRE(t.store.Erase(t.data, key::Xattr(kF, "user.x")).ok());
    REQUIRE(t.store.Put(t.data, key::Xattr(kF, "user.y"), "y").ok());
    Record(t, GroupKey(t), AddLargeXattr);
    Record(t, std::string(key::kRootObject), AddLargeXattr);
  });
  std::vector<std::string> lost;
  {
    const std::unique_ptr<Store> store = image.OpenStore();
    const auto found = [&](const CheckFinding& finding) {
      if (!finding.lost_name.empty()) lost.push_back(finding.lost_name + " " + finding.lost_attribute);
    };
    REQUIRE(fs::RepairFileSystem(store.get(), {}, found).ok());
    REQUIRE(store->Close().ok());
  }
  std::sort(lost.begin(), lost.end());
  CHECK(lost == std::vector<std::string>{"/ user.z", "/bad ", "/d/f user.x", "/d/f user.y", "/d/sub/g ", "/l user.z"});
  CHECK(*image.paths().ReadFile("lost+found/d/sub/g") == "g");
}

TEST_CASE("what the checker did not come to write is not told as repaired", "[fs]") {
  Image image;
  for (int i = 0; i < 3000; ++i) REQUIRE(image.paths().WriteFile(std::to_string(i), "").ok());
  image.Unmount();
  Damage(image, [](const Trees& t) { Change(t, key::Entry("", "0"), {.links = 1}); });
  {
    const std::unique_ptr<Store> store = image.OpenStore();
    const fs::CheckOptions options{.repair = true, .salvage = true, .cancelled = [] { return true; }};
    int findings = 0;
    const auto summary = fs::CheckFileSystem(store.get(), options, [&](const CheckFinding& finding) {
      ++findings;
      CHECK_FALSE(finding.repaired);
    });
    CHECK(summary.status().code() == absl::StatusCode::kCancelled);
    CHECK(findings == 1);
    REQUIRE(store->Close().ok());
  }
  CHECK(Run(image, false).size() == 1);
}

}  // namespace
}  // namespace betr::test
