// SPDX-License-Identifier: Apache-2.0
// Whatever is damaged, repair leaves an image without findings, keeps all that it does not say is lost, and what it
// keeps is right.
#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <iostream>
#include <set>

#include "base/escape.h"
#include "base/random.h"
#include "device/fault_device.h"
#include "store/offline/repair_image.h"
#include "support/damage/bench.h"
#include "support/damage/scattered.h"
#include "support/damage/structures.h"
#include "support/damage/subject.h"
#include "support/seed.h"
#include "support/store/check_image.h"

namespace betr::test {
namespace {

using Kind = Structure::Kind;

struct Repaired {
  store::ImageRepair repair;
  std::vector<std::string> actions;
  std::vector<store::Finding> findings;
};

Repaired RepairDamaged(MemoryDevice& device) {
  Repaired result;
  auto findings = CheckImage(device, MiB(4));
  INFO(findings.status());
  REQUIRE(findings.ok());
  result.findings = *findings;
  auto repair = store::RepairImage(device, MiB(4), store::RepairDepth::kAll, *std::move(findings),
                                   [&](std::string_view action) { result.actions.emplace_back(action); });
  INFO(repair.status());
  REQUIRE(repair.ok());
  result.repair = *std::move(repair);
  return result;
}

bool IsLost(const Repaired& repaired, const std::string& tree, const std::string& key) {
  return std::any_of(repaired.repair.salvaged.lost.begin(), repaired.repair.salvaged.lost.end(),
                     [&](const store::LostRange& lost) { return lost.tree == tree && lost.range.Contains(key); });
}

Contents ReadAll(const Store& store) {
  Contents contents;
  for (const TreeInfo& tree : store.Trees()) {
    auto& entries = contents[tree.name];
    const auto cursor = store.NewCursor(tree.id);
    REQUIRE(cursor.ok());
    for ((*cursor)->SeekToFirst(); (*cursor)->Valid(); (*cursor)->Next()) {
      entries.emplace((*cursor)->Key(), (*cursor)->Value());
    }
  }
  return contents;
}

// When the catalog is gone, trees may have lost their names, but not what they hold.
bool IsUnderOtherName(const Store& store, const std::map<std::string, std::string>& entries) {
  const Contents contents = ReadAll(store);
  return entries.empty() || std::any_of(contents.begin(), contents.end(), [&](const auto& tree) {
           return tree.first.starts_with(store::kLostTreePrefix) && tree.second == entries;
         });
}

// "" if what the store holds is what it should, but for what is said to be lost.
std::string Compare(const Store& store, const Contents& expected, const Repaired& repaired) {
  for (const auto& [name, entries] : expected) {
    const auto tree = store.FindTree(name);
    if (!tree.ok() && IsUnderOtherName(store, entries)) continue;
    if (!tree.ok()) return fmt::format("tree {} is gone", name);
    const auto cursor = store.NewCursor(*tree);
    if (!cursor.ok()) return std::string(cursor.status().message());
    auto next = entries.begin();
    for ((*cursor)->SeekToFirst(); (*cursor)->Valid(); (*cursor)->Next()) {
      const std::string key((*cursor)->Key());
      for (; next != entries.end() && next->first < key; ++next) {
        if (!IsLost(repaired, name, next->first)) {
          return fmt::format("{}: {} is gone, and nobody said so", name, Escape(next->first));
        }
      }
      const bool is_right = next != entries.end() && next->first == key && next->second == (*cursor)->Value();
      if (!is_right && !IsLost(repaired, name, key)) {
        return fmt::format("{}: {} is wrong, and nobody said so", name, Escape(key));
      }
      next = next != entries.end() && next->first == key ? std::next(next) : next;
    }
    if (!(*cursor)->status().ok()) return std::string((*cursor)->status().message());
    for (; next != entries.end(); ++next) {
      if (!IsLost(repaired, name, next->first)) {
        return fmt::format("{}: {} is gone, and nobody said so", name, Escape(next->first));
      }
    }
  }
  return "";
}

std::string WhatIsLost(const Repaired& repaired) {
  std::string text;
  for (const store::LostRange& lost : repaired.repair.salvaged.lost) {
    text += fmt::format("lost: {} {}: {}\n", lost.tree, ToString(lost.range), lost.why);
  }
  for (const std::string& action : repaired.actions) text += action + "\n";
  return text;
}

// Structures, and what is written over them.
using Patches = std::vector<std::pair<const Structure*, std::string>>;

// Whether both copies are damaged.
bool IsCatalogGone(const Patches& patches) {
  std::set<uint64_t> copies;
  for (const auto& [structure, bytes] : patches) {
    if (structure->kind == Kind::kCatalog) copies.insert(structure->id);
  }
  return copies.size() == 2;
}

class Salvages {
 public:
  explicit Salvages(const Subject& subject) : subject_(subject) {
    MemoryDevice device(subject.size, subject.image);
    structures_ = StructuresOf(device);
  }
  ~Salvages() {
    std::cout << fmt::format("{}: {} repairs, {} of them lost something\n", subject_.name, repairs_, lossy_);
  }
  Salvages(const Salvages&) = delete;
  Salvages& operator=(const Salvages&) = delete;

  const std::vector<Structure>& structures() const { return structures_; }

  void Try(const std::string& what, const Patches& patches) {
    MemoryDevice device(subject_.size, subject_.image);
    bool ends_log = IsCatalogGone(patches);  // batches of a tree that has lost its name cannot be replayed
    for (const auto& [structure, bytes] : patches) {
      REQUIRE(device.Patch(structure->offset, bytes).ok());
      ends_log = ends_log || structure->kind == Kind::kLog;
    }
    const Repaired repaired = RepairDamaged(device);
    INFO(subject_.name << ": " << what << "\n" << WhatIsLost(repaired));
    ++repairs_;
    lossy_ += repaired.repair.salvaged.lost.empty() ? 0 : 1;
    const auto left = CheckImage(device, MiB(4));
    REQUIRE(left.ok());
    for (const store::Finding& finding : *left) FAIL_CHECK("left: " << finding.what);
    REQUIRE(left->empty());
    REQUIRE(store::MendReplay(device, SubjectOptions(true)).ok());
    const auto store = OpenSubject(device, false);
    INFO(store.status());
    REQUIRE(store.ok());
    std::string difference;
    for (size_t i = subject_.states.size(); i-- > (ends_log ? 0 : subject_.states.size() - 1);) {
      difference = Compare(**store, subject_.states[i], repaired);
      if (difference.empty()) break;
    }
    REQUIRE(difference == "");
    REQUIRE((*store)->Close().ok());
    const auto after = CheckImage(device, MiB(4));
    REQUIRE(after.ok());
    REQUIRE(after->empty());
  }

 private:
  const Subject& subject_;
  std::vector<Structure> structures_;
  uint64_t repairs_ = 0;
  uint64_t lossy_ = 0;
};

bool HasNoOther(const Structure& structure) { return structure.kind == Kind::kSuperblock; }

// Without the catalog what is lost of a tree cannot be said by its name.
bool IsTooMuch(const Patches& patches) { return IsCatalogGone(patches) && patches.size() > 2; }

void RepairEach(const Subject& subject) {
  Salvages salvages(subject);
  for (const Structure& structure : salvages.structures()) {
    if (HasNoOther(structure)) continue;
    salvages.Try(structure.name + " zeroed", {{&structure, std::string(structure.extent.value, '\0')}});
  }
  // Without the table a node whose newest version is gone is found as it was before: only the table could tell.
  const Structure& page = *std::find_if(salvages.structures().begin(), salvages.structures().end(),
                                        [](const auto& structure) { return structure.kind == Kind::kTablePage; });
  for (const Structure& structure : salvages.structures()) {
    if (structure.kind == Kind::kNodeHeader) {
      salvages.Try(structure.name + " zeroed, and the table",
                   {{&structure, std::string(100, '\0')}, {&page, std::string(100, '\0')}});
    }
  }
  Patches catalogs;
  for (const Structure& structure : salvages.structures()) {
    if (structure.kind == Kind::kCatalog) catalogs.emplace_back(&structure, std::string(structure.extent.value, '\0'));
  }
  salvages.Try("both copies of the catalog zeroed", catalogs);
}

void RepairSeveral(const Subject& subject, int rounds) {
  Random random(TestSeed());
  Salvages salvages(subject);
  for (int i = 0; i < rounds; ++i) {
    std::string what;
    Patches patches;
    for (uint64_t n = 1 + random.Uniform(6); n > 0; --n) {
      const Structure& structure = random.Pick(salvages.structures());
      if (HasNoOther(structure)) continue;
      what += structure.name + ", ";
      patches.emplace_back(&structure, std::string(100, 'x'));
    }
    if (!IsTooMuch(patches)) salvages.Try(what, patches);
  }
}

void RepairAll(const Subject& subject) {
  RepairEach(subject);
  RepairSeveral(subject, static_cast<int>(60 * TestScale()));
}

TEST_CASE("what a failing device does not give is not taken for lost", "[damage][repair]") {
  const Subject subject = ClosedStore();
  MemoryDevice device(subject.size, subject.image);
  const std::vector<Structure> structures = StructuresOf(device);
  const auto leaf = std::find_if(structures.begin(), structures.end(),
                                 [](const Structure& structure) { return structure.kind == Kind::kNodeHeader; });
  REQUIRE(device.Patch(leaf->offset, std::string(64, 'x')).ok());
  const auto findings = CheckImage(device, MiB(4));
  REQUIRE(findings.ok());
  uint64_t failures = 0;
  for (uint64_t nth = 1;; ++nth) {
    MemoryDevice copy(subject.size, device.Pages());
    FaultDevice failing(copy);
    failing.Arm({Fault::On::kRead, nth, Fault::Repeat::kOnce, Fault::Effect::kIoError});
    const auto repair = store::RepairImage(failing, MiB(4), store::RepairDepth::kAll, *findings, [](auto) {});
    if (failing.Hits() == 0) break;
    failures += repair.ok() ? 0 : 1;
    // Either it was said, or the failure did not matter: nothing but what is damaged is gone.
    const auto lost = repair.ok() ? repair->salvaged.lost : std::vector<store::LostRange>{};
    for (const store::LostRange& range : lost) {
      CHECK(range.why.find("node " + std::to_string(leaf->id)) != std::string::npos);
    }
  }
  CHECK(failures > 10);
}

// Keys that are not the same in both.
std::set<std::string> Differences(const Contents& a, const Contents& b, const std::string& tree) {
  std::set<std::string> keys;
  for (const auto& [one, other] : {std::pair(&a, &b), std::pair(&b, &a)}) {
    for (const auto& [key, value] : one->at(tree)) {
      const auto found = other->at(tree).find(key);
      if (found == other->at(tree).end() || found->second != value) keys.insert(key);
    }
  }
  return keys;
}

TEST_CASE("what the log behind a damaged frame would have changed is named", "[damage][repair]") {
  const Subject subject = CrashedStore();
  MemoryDevice sound(subject.size, subject.image);
  std::vector<Structure> frames = StructuresOf(sound);
  frames.erase(std::remove_if(frames.begin(), frames.end(),
                              [](const Structure& structure) { return structure.kind != Kind::kLog; }),
               frames.end());
  // The fourth frame has two batches.
  const std::vector<size_t> state_after = {1, 2, 3, 5, 6, 7, 8};
  REQUIRE(frames.size() == state_after.size());
  REQUIRE(subject.states.size() == 9);
  for (size_t i = 0; i + 1 < frames.size(); ++i) {
    INFO("frame " << i);
    MemoryDevice device(subject.size, subject.image);
    REQUIRE(device.Patch(frames[i].offset + Bytes{GENERATE(3U, 100U)}, "damage").ok());
    const Repaired repaired = RepairDamaged(device);
    INFO(WhatIsLost(repaired));
    const auto& lost = repaired.repair.salvaged.lost;
    CHECK(std::count_if(lost.begin(), lost.end(), [](const auto& range) { return range.tree.empty(); }) == 1);
    for (const std::string& key : Differences(subject.states[state_after[i]], subject.states.back(), "main")) {
      CHECK(IsLost(repaired, "main", key));
    }
    CHECK_FALSE(IsLost(repaired, "main", "usr/lib/001"));
  }
}

TEST_CASE("scattered nodes and catalogs are found without the table", "[damage][repair]") {
  const Subject subject = ClosedStore();
  Bench bench(subject);
  bench.Change([](Store& store) {
    for (int i = 0; i < 40; ++i) REQUIRE(store.CreateTree(fmt::format("{:0>200}", i)).ok());
  });
  bench.Scatter();
  const Contents expected = ReadAll(*OpenSubject(bench.device(), true).value());
  const bool without_table = GENERATE(true, false);
  if (without_table) {
    for (const Structure& structure : StructuresOf(bench.device())) {
      if (structure.name.starts_with("table page")) bench.Zero(structure);
    }
  } else {
    bench.ForgeSuperblock([](layout::Superblock& block) {
      REQUIRE(block.catalog.copies[0].scattered);
      REQUIRE(block.catalog.copies[1].scattered);
      ++block.catalog.checksum;
    });
  }
  const Repaired repaired = RepairDamaged(bench.device());
  INFO(WhatIsLost(repaired));
  // What has another checksum than the superblock says may be older, and what a page led to that named other pages.
  const auto& lost = repaired.repair.salvaged.lost;
  CHECK_FALSE(lost.empty());
  CHECK(std::all_of(lost.begin(), lost.end(), [](const auto& range) { return range.IsDoubt(); }));
  CHECK(repaired.repair.salvaged.lost_trees.empty());
  CHECK(repaired.repair.left.empty());
  const auto by_map = [](const std::string& action) { return action.find("scattered by the map") != action.npos; };
  CHECK((!without_table || std::any_of(repaired.actions.begin(), repaired.actions.end(), by_map)));
  CHECK(CheckImage(bench.device(), MiB(4)).value().empty());
  CHECK(ReadAll(*OpenSubject(bench.device(), true).value()) == expected);
}

TEST_CASE("a damaged store that was closed is repaired", "[damage][repair]") { RepairAll(ClosedStore()); }

TEST_CASE("a damaged store with batches in its log is repaired", "[damage][repair]") { RepairAll(CrashedStore()); }

TEST_CASE("a damaged store that was filled without a log is repaired", "[damage][repair]") { RepairAll(BulkStore()); }

TEST_CASE("a damaged store whose extents are scattered is repaired", "[damage][repair]") {
  RepairEach(ScatteredStore());
}

TEST_CASE("the store of a damaged file system is repaired", "[damage][repair]") { RepairAll(FileSystemImage()); }

}  // namespace
}  // namespace betr::test
