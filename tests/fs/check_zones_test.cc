// SPDX-License-Identifier: Apache-2.0
// The checker in images with zones (docs/ablations.md).
#include "fs/check/check_zones.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <vector>

#include "fs/check/lost_trees.h"
#include "fs/key.h"
#include "fs/record.h"
#include "store/offline/salvage.h"
#include "support/fs/planted.h"

namespace betr::test {
namespace {

using fs::CheckCode;
using fs::CheckFinding;
using planted::Case;
using planted::Change;
using planted::Damage;
using planted::Fill;
using planted::Repair;
using planted::Run;
using planted::RunCase;
using planted::Trees;
namespace key = fs::key;

const std::string kD = key::Content("", "d");

// As Fill, with /d as the root of a zone.
void FillZone(Image& image) {
  Experiments experiments;
  experiments.zone_size = KiB(4);
  image.Remount(experiments);
  Fill(image);
  REQUIRE(image.paths().Rename("d", "e").ok());
  REQUIRE(image.paths().Rename("e", "d").ok());
  image.Unmount();
}

fs::InodeRecord RecordOfD(const Trees& trees) {
  return *fs::DecodeInode(**trees.store.Get(trees.meta, key::Entry("", "d")), "d");
}

std::string ContentOfD(const Trees& trees) {
  const uint64_t zone = RecordOfD(trees).zone;
  REQUIRE(zone != 0);
  return key::Zone(zone);
}

std::vector<Case> ZoneCases() {
  return {
      {"two roots of a zone", CheckCode::kZone, false,
       [](const Trees& t) {
         REQUIRE(t.store.Put(t.meta, key::Entry("", "second"), fs::EncodeInode(RecordOfD(t))).ok());
       }},
      {"a zone in itself", CheckCode::kZone, false,
       [](const Trees& t) {
         REQUIRE(t.store.Put(t.meta, key::Entry(ContentOfD(t), "d"), fs::EncodeInode(RecordOfD(t))).ok());
       }},
      {"a version without zones", CheckCode::kZone, true,
       [](const Trees& t) {
         REQUIRE(t.store.Put(t.meta, key::kVersionKey, fs::EncodeVersion({{1, 2}})).ok());
       }},
      {"number of a zone", CheckCode::kNumber, true,
       [](const Trees& t) {
         const uint64_t zone = RecordOfD(t).zone;
         REQUIRE(t.store.Put(t.meta, key::kNumberBoundKey, fs::EncodeNumberBound(zone)).ok());
       }},
      {"a root directory in a zone", CheckCode::kRoot, false,
       [](const Trees& t) {
         fs::InodeRecord root = *fs::DecodeInode(**t.store.Get(t.meta, key::kRootObject), "root");
         root.zone = 5;
         REQUIRE(t.store.Put(t.meta, key::kRootObject, fs::EncodeInode(root)).ok());
       }},
      {"content under the path of a zone's root", CheckCode::kParent, false,
       [](const Trees& t) {
         REQUIRE(t.store.Put(t.meta, key::Entry(kD, "x"), **t.store.Get(t.meta, key::Entry(ContentOfD(t), "f"))).ok());
       }},
      {"a missing parent in a zone", CheckCode::kParent, false,
       [](const Trees& t) { REQUIRE(t.store.Erase(t.meta, key::Entry(ContentOfD(t), "sub")).ok()); }},
      {"no directory in a zone", CheckCode::kParent, false,
       [](const Trees& t) {
         const std::string content = ContentOfD(t);
         const std::string file = **t.store.Get(t.meta, key::Entry(content, "f"));
         REQUIRE(t.store.Put(t.meta, key::Entry(key::Content(content, "x"), "y"), file).ok());
         REQUIRE(t.store.Put(t.meta, key::Entry(content, "x"), file).ok());
       }},
      {"no zone", CheckCode::kKey, false,
       [](const Trees& t) { REQUIRE(t.store.Put(t.meta, std::string(key::kZonesPrefix) + "x", "y").ok()); }},
      {"reach over a zone", CheckCode::kReach, true,
       [](const Trees& t) {
         const std::string deep = key::Entry(key::Content(ContentOfD(t), "sub"), std::string(kMaxNameSize, 'x'));
         fs::InodeRecord record;
         record.number = 2;
         REQUIRE(t.store.Put(t.meta, deep, fs::EncodeInode(record)).ok());
       }},
      {"unlisted name in a zone", CheckCode::kGroupName, true,
       [](const Trees& t) { REQUIRE(t.store.Erase(t.meta, key::GroupName("", key::Entry(ContentOfD(t), "l"))).ok()); }},
      {"content in a zone without a file", CheckCode::kContent, false,
       [](const Trees& t) {
         REQUIRE(t.store.Put(t.data, key::Block(key::Entry(ContentOfD(t), "gone"), 0), "x").ok());
       }},
  };
}

TEST_CASE("the checker finds and mends damage to zones", "[fs][ablation]") {
  for (const Case& test : ZoneCases()) RunCase(test, FillZone);
}

TEST_CASE("a salvage finds a place for a zone that has lost its root", "[fs][ablation]") {
  Image image;
  FillZone(image);
  Damage(image, [](const Trees& t) { REQUIRE(t.store.Erase(t.meta, key::Entry("", "d")).ok()); });
  const std::vector<CheckFinding> findings = Run(image, false);
  CHECK(std::any_of(findings.begin(), findings.end(),
                    [](const CheckFinding& finding) { return finding.code == CheckCode::kZone; }));
  Repair(image);
  const std::vector<std::string> found = *image.paths().List("lost+found");
  REQUIRE(found.size() == 1);
  const std::string zone = "lost+found/" + found.front();
  CHECK(found.front().starts_with("zone-"));
  CHECK(*image.paths().ReadFile(zone + "/f") == std::string(10000, 'f'));
  CHECK(*image.paths().ReadFile(zone + "/sub/g") == "g");
  CHECK(image.paths().Stat("l")->links == 2);
  image.Check();
}

TEST_CASE("a salvage finds a place where lost+found is the root of a zone", "[fs][ablation]") {
  Image image;
  FillZone(image);
  std::string zone;
  Damage(image, [&](const Trees& t) {
    const std::string content = ContentOfD(t);
    zone = key::PathOfContent(content);
    REQUIRE(t.store.Put(t.meta, key::Entry("", "lost+found"), fs::EncodeInode(RecordOfD(t))).ok());
    REQUIRE(t.store.Erase(t.meta, key::Entry("", "d")).ok());
    REQUIRE(t.store.Erase(t.meta, key::Entry(key::Content(content, "sub"), "g")).ok());
  });
  Repair(image);
  CHECK(*image.paths().ReadFile("lost+found/f") == std::string(10000, 'f'));
  CHECK(*image.paths().ReadFile("lost+found-2/" + zone + "/sub/g") == "g");
  image.Check();
}

TEST_CASE("what is lost of zones as trees without a name comes to lost+found", "[fs][ablation]") {
  Image image;
  FillZone(image);
  std::string zone;
  {
    const std::unique_ptr<Store> store = image.OpenStore();
    const TreeId trees[] = {*store->FindTree(kMetaTree), *store->FindTree(kDataTree)};
    zone = key::PathOfContent(ContentOfD({*store, trees[0], trees[1]}));
    for (const int i : {0, 1}) {
      const TreeId lost = *store->CreateTree(std::string(store::kLostTreePrefix) + std::to_string(i));
      REQUIRE(store->RenamePrefix(trees[i], key::kZonesPrefix, lost, key::kZonesPrefix).ok());
    }
    REQUIRE(fs::FindLostTrees(*store)->size() == 2);
    REQUIRE(fs::AdoptLostTrees(store.get(), [](std::string_view) {}).ok());
    REQUIRE(store->Close().ok());
  }
  Repair(image);
  CHECK(image.paths().List("d")->empty());
  CHECK(image.paths().Stat("lost+found/node-0/" + zone + "/sub/g")->size == 1);
  CHECK(*image.paths().ReadFile("lost+found/node-1/" + zone + "/f") == std::string(10000, 'f'));
  image.Check();
}

TEST_CASE("findings in zones are said by their paths", "[fs][ablation]") {
  Image image;
  FillZone(image);
  Damage(image, [](const Trees& t) {
    const std::string content = ContentOfD(t);
    Change(t, key::Entry(key::Content(content, "sub"), "g"), {.links = 1});
    REQUIRE(t.store.Put(t.data, key::Block(key::Entry(content, "f"), 7), "x").ok());
  });
  const std::vector<CheckFinding> found = Run(image, false);
  REQUIRE(found.size() == 2);
  CHECK(found[0].path == "d/sub/g");
  CHECK(found[1].path == "d/f");
}

}  // namespace
}  // namespace betr::test
