// SPDX-License-Identifier: Apache-2.0
// What a salvage and the log after it leave lost is told key by key: all that reads otherwise, and nothing that reads
// as it should.
#include "store/offline/carry_losses.h"

#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <iostream>

#include "base/escape.h"
#include "base/random.h"
#include "fs/block_delta.h"
#include "store/offline/repair_image.h"
#include "support/damage/bench.h"
#include "support/must.h"
#include "support/seed.h"
#include "support/store/check_image.h"

namespace betr::test {
namespace {

constexpr Bytes kCache = MiB(4);

// Changes of the trees "main" and "other", and of snapshots; every value is another.
class Changes {
 public:
  Changes(Store& store, Random& random) : store_(store), random_(random) {}

  void Make() {
    WriteBatch batch;
    for (uint64_t n = random_.Skewed(3); n > 0; --n) Add(&batch);
    const absl::Status written = store_.Write(batch);
    if (absl::IsResourceExhausted(written)) {
      return;  // clones of clones have filled it
    }
    Must(written);
    if (random_.OneIn(40)) {
      const std::string name = fmt::format("snapshot {}", random_.Next());
      Must(store_.Snapshot(Tree(), name).status());
      Must(random_.OneIn(2) ? store_.DropTree(Must(store_.FindTree(name))) : absl::OkStatus());
    }
  }

 private:
  TreeId Tree() { return Must(store_.FindTree(random_.OneIn(4) ? "other" : "main")); }
  std::string Prefix() { return fmt::format("{}/", "abcd"[random_.Uniform(4)]) + (random_.OneIn(2) ? "x/" : ""); }
  std::string Key() { return fmt::format("{}{:02}", Prefix(), random_.Uniform(50)); }

  void Add(WriteBatch* batch) {
    const std::string key = Key();
    switch (random_.Uniform(12)) {
      case 0:
        return batch->Erase(Tree(), key);
      case 1:
        return batch->Upsert(Tree(), key, fs::kBlockUpsert, fs::EncodeBlockWrite(30, random_.String(3)));
      case 2:
        return batch->EraseRange(Tree(), {Bound::At(key), Bound::Past(key.substr(0, key.size() - 1))});
      case 3:
        return batch->ClonePrefix(Tree(), Prefix(), Tree(), Prefix());
      case 4:
        return Rename(batch);
      default:
        return batch->Put(Tree(), key, fmt::format("{:020} {}", random_.Next(), random_.String(random_.Uniform(40))));
    }
  }

  // Not onto its source, or below it.
  void Rename(WriteBatch* batch) {
    const std::string from = Prefix();
    const std::string to = Prefix();
    if (!to.starts_with(from)) batch->RenamePrefix(Tree(), from, Tree(), to);
  }

  Store& store_;
  Random& random_;
};

// A checkpoint, and batches in the log behind it, or none.
Subject Changed(const Subject& empty, uint64_t before, uint64_t after, Random& random) {
  MemoryDevice device(empty.size, empty.image);
  const std::unique_ptr<Store> store = Must(OpenSubject(device, false));
  Changes changes(*store, random);
  for (; before > 0; --before) {
    changes.Make();
    if (random.OneIn(100)) Must(store->Checkpoint());
  }
  Must(store->Checkpoint());
  for (; after > 0; --after) changes.Make();
  Must(store->Sync());
  return {"changed", empty.size, device.Pages(), {}, {ReadContents(*store)}};
}

struct Figures {
  uint64_t repairs = 0;
  uint64_t lost = 0;     // keys that read otherwise
  uint64_t changes = 0;  // told ranges of which only the latest changes are lost
};

// "" if all is told that reads otherwise, and nothing that does not: where only changes are lost, they may be none.
std::string Compare(const Contents& expected, const Contents& found, const std::vector<store::LostRange>& lost,
                    Figures* figures) {
  for (const auto& [tree, entries] : expected) {
    if (!found.contains(tree)) return tree + " is gone";
    std::map<std::string, std::string> all = entries;
    all.insert(found.at(tree).begin(), found.at(tree).end());
    for (const auto& [key, value] : all) {
      const auto read = [&, &name = tree, &at = key](const Contents& contents) {
        const auto entry = contents.at(name).find(at);
        return entry == contents.at(name).end() ? "" : entry->second;
      };
      const bool is_wrong = read(expected) != read(found);
      // Something was added to nothing: nobody knows that there was nothing.
      const bool was_absent = value.starts_with('\0');
      bool is_told = false;
      bool is_told_surely = false;
      for (const store::LostRange& range : lost) {
        const bool is_in = range.tree == tree && range.range.Contains(key);
        is_told = is_told || is_in;
        is_told_surely = is_told_surely || (is_in && !range.changes_only && !range.is_partial && !range.but_written);
      }
      figures->lost += is_wrong ? 1 : 0;
      if (is_wrong && !is_told) return fmt::format("{}: {} is not told", tree, Escape(key));
      if (!is_wrong && is_told_surely && !was_absent) {
        return fmt::format("{}: {} is told, and right", tree, Escape(key));
      }
    }
  }
  return "";
}

std::string ToText(const std::vector<store::LostRange>& lost) {
  std::string text;
  for (const store::LostRange& range : lost) {
    text += fmt::format("lost: {} {}{}{}: {}\n", range.tree, ToString(range.range),
                        range.changes_only ? ", changes" : "", range.is_partial ? ", partial" : "", range.why);
  }
  return text;
}

void LoseAndRepair(const Subject& subject, const Structure& structure, const store::SalvageLimits& limits,
                   Figures* figures) {
  MemoryDevice device(subject.size, subject.image);
  Must(device.Patch(structure.offset, std::string(structure.extent.value, '\0')));
  const store::ImageRepair repair =
      Must(store::RepairImage(device, kCache, store::RepairDepth::kAll, Must(CheckImage(device, kCache)), [](auto) {},
                              {.limits = limits, .loses = nullptr}));
  CHECK(repair.left.empty());
  CHECK(Must(store::MendReplay(device, SubjectOptions(true))).cut.frames == 0);
  const auto image = Must(store::Inspection::Open(device, kCache));
  const std::vector<store::LostRange> lost = Must(store::CarryThroughLog(*image, repair.salvaged.lost, limits.ranges));
  INFO(structure.name << "\n" << ToText(repair.salvaged.lost) << "then\n" << ToText(lost));
  ++figures->repairs;
  for (const store::LostRange& range : lost) {
    figures->changes += range.changes_only ? 1 : 0;
    CHECK_FALSE(range.before_log);
  }
  CHECK(Compare(subject.states.back(), ReadContents(*Must(OpenSubject(device, true))), lost, figures) == "");
}

void LoseNodes(uint64_t after, const store::SalvageLimits& limits) {
  Random random(TestSeed());
  const Subject empty = ClosedStore();
  Figures figures;
  const int rounds = static_cast<int>(15 * TestScale());
  for (int round = 0; round < rounds; ++round) {
    const Subject subject = Changed(empty, random.Uniform(500), after > 0 ? random.Uniform(after) : 0, random);
    MemoryDevice device(subject.size, subject.image);
    std::vector<Structure> nodes = StructuresOf(device);
    std::erase_if(nodes, [](const Structure& structure) {
      return structure.kind != Structure::Kind::kNodeHeader && structure.kind != Structure::Kind::kBlocks;
    });
    for (int i = 0; i < 15; ++i) {
      INFO("round " << round);
      LoseAndRepair(subject, random.Pick(nodes), limits, &figures);
    }
  }
  std::cout << fmt::format("{} repairs, {} keys and {} ranges of changes lost\n", figures.repairs, figures.lost,
                           figures.changes);
  CHECK(figures.lost > 200);
}

TEST_CASE("what is lost is told but for what changes that wait above it have written", "[damage][repair]") {
  LoseNodes(0, {});
}

TEST_CASE("what is lost is told as the log leaves it", "[damage][repair]") { LoseNodes(80, {}); }

TEST_CASE("what is lost is told as the log leaves it, up to a limit", "[damage][repair]") {
  LoseNodes(80, {.ways = 1'000'000, .ranges = GENERATE(1U, 3U, 10U)});
}

}  // namespace
}  // namespace betr::test
