// SPDX-License-Identifier: Apache-2.0
// A node that is lost, and that exponentially many clones show: as many of its keys are named as a limit allows, and
// where the others are is said.
#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>

#include "store/offline/repair_image.h"
#include "support/damage/bench.h"
#include "support/must.h"
#include "support/store/check_image.h"

namespace betr::test {
namespace {

constexpr Bytes kCache = MiB(16);
constexpr int kLevels = 7;

// "0/..." in some leaves; "1/x/..." and "1/y/..." as clones of it, "2/x/..." and "2/y/..." as clones of "1/...", and so
// on; and a second tree with one of them.
Subject Cloned() {
  Subject subject = ClosedStore();
  MemoryDevice device(subject.size, subject.image);
  const std::unique_ptr<Store> store = Must(OpenSubject(device, false));
  const TreeId tree = Must(store->CreateTree("many"));
  const TreeId second = Must(store->CreateTree("second"));
  for (int i = 0; i < 60; ++i) Must(store->Put(tree, fmt::format("0/{:03}", i), std::string(60, 'v')));
  Must(store->Checkpoint());
  for (int level = 1; level <= kLevels; ++level) {
    for (const char* clone : {"x", "y"}) {
      Must(store->ClonePrefix(tree, fmt::format("{}/", level - 1), tree, fmt::format("{}/{}/", level, clone)));
    }
  }
  Must(store->ClonePrefix(tree, "5/", second, ""));
  Must(store->Close());
  subject.image = device.Pages();
  return subject;
}

std::map<std::string, std::vector<std::string>> KeysOf(MemoryDevice& device) {
  const std::unique_ptr<Store> store = Must(OpenSubject(device, true));
  std::map<std::string, std::vector<std::string>> keys;
  for (const TreeInfo& tree : store->Trees()) {
    const std::unique_ptr<Cursor> cursor = Must(store->NewCursor(tree.id));
    for (cursor->SeekToFirst(); cursor->Valid(); cursor->Next()) keys[tree.name].emplace_back(cursor->Key());
    Must(cursor->status());
  }
  return keys;
}

struct Told {
  std::vector<store::LostRange> lost;
  uint64_t gone = 0;     // keys
  uint64_t named = 0;    // of them, in a range that is not partial
  uint64_t untold = 0;   // in no range
  uint64_t wrongly = 0;  // that are there still, in a range that is not partial
};

bool IsIn(const std::vector<store::LostRange>& lost, const std::string& tree, const std::string& key, bool is_partial) {
  return std::any_of(lost.begin(), lost.end(), [&](const store::LostRange& range) {
    return range.tree == tree && range.range.Contains(key) && range.is_partial == is_partial;
  });
}

Told Lose(const Subject& subject, const store::SalvageLimits& limits) {
  Bench bench(subject);
  const auto before = KeysOf(bench.device());
  bench.Zero(bench.HeaderOf(bench.NodeOf("many", 0)));
  Told told;
  store::RepairOptions options{.limits = limits, .loses = nullptr};
  std::vector<store::LostRange> beforehand;
  options.loses = [&](std::span<const store::LostRange> lost) { beforehand.assign(lost.begin(), lost.end()); };
  const store::ImageRepair repair = Must(store::RepairImage(
      bench.device(), kCache, store::RepairDepth::kAll, Must(CheckImage(bench.device(), kCache)), [](auto) {},
      options));
  CHECK(repair.left.empty());
  told.lost = repair.salvaged.lost;
  CHECK(beforehand.size() == told.lost.size());
  const auto after = KeysOf(bench.device());
  for (const auto& [tree, keys] : before) {
    const std::vector<std::string>& left = after.at(tree);
    for (const std::string& key : keys) {
      const bool is_named = IsIn(told.lost, tree, key, false);
      if (std::binary_search(left.begin(), left.end(), key)) {
        told.wrongly += is_named ? 1 : 0;
        continue;
      }
      ++told.gone;
      told.named += is_named ? 1 : 0;
      told.untold += is_named || IsIn(told.lost, tree, key, true) ? 0 : 1;
    }
  }
  return told;
}

uint64_t Partial(const Told& told) {
  return static_cast<uint64_t>(std::count_if(told.lost.begin(), told.lost.end(),
                                             [](const store::LostRange& range) { return range.is_partial; }));
}

TEST_CASE("what is lost on many ways through clones is told up to a limit, and that there is more",
          "[damage][repair]") {
  const Subject subject = Cloned();
  const Told all = Lose(subject, {});
  REQUIRE(all.gone > 200);
  CHECK(all.named == all.gone);
  CHECK(all.untold == 0);
  CHECK(all.wrongly == 0);
  CHECK(Partial(all) == 0);
  SECTION("a limit of ways") {
    const uint64_t ways = GENERATE(1U, 2U, 10U, 40U, 100U);
    const Told told = Lose(subject, {.ways = ways, .ranges = 100'000});
    INFO(ways << " ways");
    CHECK(told.gone == all.gone);
    CHECK(told.untold == 0);
    CHECK(told.wrongly == 0);
    CHECK(told.named < all.named);
    CHECK((ways < 40 || told.named > 0));
    CHECK(Partial(told) > 0);
    CHECK(Partial(told) < 40);
    for (const store::LostRange& range : told.lost) CHECK((!range.is_partial || range.why.find("stopped after ") == 0));
  }
  SECTION("a limit of ranges") {
    const size_t ranges = GENERATE(1U, 2U, 7U, 30U);
    const Told told = Lose(subject, {.ways = 1'000'000, .ranges = ranges});
    INFO(ranges << " ranges");
    CHECK(told.untold == 0);
    CHECK(told.wrongly == 0);
    CHECK(told.lost.size() - Partial(told) <= ranges);
    CHECK(Partial(told) > 0);
    CHECK(Partial(told) < 40);
  }
  SECTION("a limit that is enough") {
    const Told told = Lose(subject, {.ways = 100'000, .ranges = 100'000});
    CHECK(told.named == all.gone);
    CHECK(Partial(told) == 0);
  }
}

}  // namespace
}  // namespace betr::test
