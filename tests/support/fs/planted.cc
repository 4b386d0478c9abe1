// SPDX-License-Identifier: Apache-2.0
#include "support/fs/planted.h"

#include <algorithm>
#include <catch2/catch.hpp>

#include "fs/key.h"

namespace betr::test::planted {
namespace {

void Salvage(const Case& test, void (*fill)(Image&)) {
  Image image;
  fill(image);
  Damage(image, test.damage);
  Repair(image);
  CHECK(Run(image, false).empty());
  CHECK(Describe(image.paths(), "").find("d/sub") != std::string::npos);
  image.Unmount();
}

}  // namespace

void Fill(Image& image) {
  PathFileSystem& paths = image.paths();
  REQUIRE(paths.MakeDirectories("d/sub").ok());
  REQUIRE(paths.WriteFile("d/f", std::string(10000, 'f')).ok());
  REQUIRE(image.fs().SetXattr(paths.Open("d/f")->inode(), "user.x", std::string(3000, 'x')).ok());
  REQUIRE(paths.WriteFile("d/sub/g", "g").ok());
  REQUIRE(paths.WriteFile("l", "linked").ok());
  REQUIRE(paths.Link("l", "d/l").ok());
  image.Unmount();
}

std::vector<fs::CheckFinding> Run(Image& image, bool repair) {
  std::vector<fs::CheckFinding> findings;
  const std::unique_ptr<Store> store = image.OpenStore(!repair);
  const auto summary = fs::CheckFileSystem(store.get(), {.repair = repair, .cancelled = {}},
                                           [&](const fs::CheckFinding& finding) { findings.push_back(finding); });
  INFO(summary.status());
  REQUIRE(summary.ok());
  REQUIRE(summary->findings == findings.size());
  REQUIRE(store->Close().ok());
  return findings;
}

void Damage(Image& image, const std::function<void(const Trees&)>& damage) {
  const std::unique_ptr<Store> store = image.OpenStore();
  damage({*store, *store->FindTree(kMetaTree), *store->FindTree(kDataTree)});
  REQUIRE(store->Close().ok());
}

void Change(const Trees& trees, const std::string& object, const fs::AttributeDelta& delta) {
  REQUIRE(trees.store.Upsert(trees.meta, object, fs::kAttributeUpsert, fs::EncodeDelta(delta)).ok());
}

std::string GroupKey(const Trees& trees) {
  const auto cursor = *trees.store.NewCursor(trees.meta, Range::Prefix(fs::key::Groups("")));
  cursor->SeekToFirst();
  REQUIRE(cursor->Valid());
  return std::string(cursor->Key());
}

void Repair(Image& image) {
  const std::unique_ptr<Store> store = image.OpenStore();
  std::string report;
  const auto summary = fs::RepairFileSystem(store.get(), {}, [&](const fs::CheckFinding& finding) {
    report += finding.path + ": " + finding.what + "\n";
    CHECK(finding.repaired);
  });
  INFO(summary.status() << report);
  REQUIRE(summary.ok());
  CHECK(summary->findings == 0);
  REQUIRE(store->Close().ok());
}

void RunCase(const Case& test, void (*fill)(Image&)) {
  INFO(test.name);
  Image image;
  fill(image);
  REQUIRE(Run(image, false).empty());
  Damage(image, test.damage);

  const std::vector<fs::CheckFinding> found = Run(image, false);
  const auto is_it = [&](const fs::CheckFinding& finding) { return finding.code == test.code; };
  const auto it = std::find_if(found.begin(), found.end(), is_it);
  REQUIRE(it != found.end());
  CHECK(it->repairable == test.repairable);
  CHECK_FALSE(it->repaired);
  CHECK_FALSE(it->what.empty());
  Salvage(test, fill);
  if (!test.repairable) return;

  const std::vector<fs::CheckFinding> repaired = Run(image, true);
  const auto mended = std::find_if(repaired.begin(), repaired.end(), is_it);
  REQUIRE(mended != repaired.end());
  CHECK(mended->repaired);
  const std::vector<fs::CheckFinding> left = Run(image, false);
  INFO((left.empty() ? "" : left.front().path + ": " + left.front().what));
  CHECK(left.empty());
}

}  // namespace betr::test::planted
