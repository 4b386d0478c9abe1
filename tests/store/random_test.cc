// SPDX-License-Identifier: Apache-2.0
// Random batches over several trees against maps, with snapshots, cursors, clean and unclean reopening. Tiny nodes, so
// that everything happens.
#include "base/random.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "betr/store.h"
#include "dag/read/check.h"
#include "device/memory_device.h"
#include "store/borrowed_device.h"
#include "store/impl.h"
#include "support/dag/upserts.h"
#include "support/seed.h"

namespace betr::test {
namespace {

using Contents = std::map<std::string, std::string>;
using Trees = std::map<TreeId, Contents>;

class StoreRun {
 public:
  StoreRun(uint64_t seed, bool background, const Experiments& experiments)
      : random_(seed), background_(background), experiments_(experiments), device_(MiB(64)) {
    FormatOptions format;
    format.node_size = Bytes{512 + random_.Uniform(4096)};
    format.basement_size = Bytes{128 + random_.Uniform(256)};
    format.fanout = static_cast<uint32_t>(8 + random_.Uniform(9));
    format.log_size = KiB(256);
    format.compression = random_.OneIn(2) ? "lz4" : "none";
    REQUIRE(Store::Format(device_, format).ok());
    Open();
    NewTree("one");
    NewTree("two");
  }

  void Step(int number) {
    const uint64_t dice = random_.Uniform(100);
    if (dice < 75) {
      WriteBatch();
    } else if (dice < 80) {
      REQUIRE(store_->Sync().ok());
    } else if (dice < 84) {
      const absl::Status status = store_->Checkpoint();
      INFO(status);
      REQUIRE(status.ok());
    } else if (dice < 87) {
      Snapshot(number);
    } else if (dice < 89) {
      DropSnapshot();
    } else if (dice < 92) {
      REQUIRE(store_->Close().ok());
      Open();
    } else if (dice < 95) {
      REQUIRE(store_->Sync().ok());
      Open();  // not closed: the log is replayed
    } else if (dice < 96) {
      REQUIRE(store_->Compact(Tree()).ok());
    }
    Verify();
  }

  void CheckImage() {
    std::map<NodeId, uint32_t> roots;
    const store::StatePtr state = store_->impl().fronts().state();
    for (const auto& [id, tree] : state->trees) ++roots[tree.root];
    std::string findings;
    dag::CheckDag(state->table, roots, {}, [&](const dag::Finding& finding) {
      findings += "node " + std::to_string(finding.node.value) + ": " + finding.what + "\n";
    });
    REQUIRE(findings == "");
  }

 private:
  void Open() {
    store_.reset();
    StoreOptions options;
    options.cache_size = KiB(256) + Bytes{random_.Uniform(1 << 20)};
    options.background = background_;
    options.experiments = experiments_;
    options.logging = random_.OneIn(4) ? Logging::kBulk : Logging::kFull;
    options.checkpoint_period = std::chrono::seconds(background_ ? 1 : 0);
    REQUIRE(options.functions.Add(std::make_shared<AppendFunction>()).ok());
    absl::StatusOr<std::unique_ptr<Store>> store =
        Store::Open(std::make_unique<store::BorrowedDevice>(device_), options);
    INFO(store.status());
    REQUIRE(store.ok());
    store_ = *std::move(store);
    CheckImage();
  }

  void NewTree(const std::string& name) {
    absl::StatusOr<TreeId> tree = store_->CreateTree(name);
    INFO(tree.status());
    REQUIRE(tree.ok());
    writable_.push_back(*tree);
    trees_[*tree];
  }

  TreeId Tree() { return writable_[random_.Uniform(writable_.size())]; }
  std::string Key() {
    std::string key;
    for (uint64_t n = random_.Uniform(7); n > 0; --n) key.push_back("\0ab\xff"[random_.Uniform(4)]);
    return key;
  }
  std::string Prefix() { return Key().substr(0, random_.OneIn(10) ? 0 : 1 + random_.Uniform(4)); }

  void WriteBatch() {
    betr::WriteBatch batch;
    Trees after = trees_;
    for (uint64_t n = 1 + random_.Uniform(8); n > 0; --n) AddChange(batch, after);
    const absl::Status status = store_->Write(batch);
    INFO(status);
    REQUIRE(status.ok());
    trees_ = std::move(after);
  }

  void AddChange(betr::WriteBatch& batch, Trees& after) {
    const TreeId tree = Tree();
    Contents& contents = after[tree];
    const uint64_t dice = random_.Uniform(100);
    const std::string key = Key();
    if (dice < 60) {
      const std::string value(random_.OneIn(10) ? random_.Uniform(2000) : random_.Uniform(30), 'v');
      batch.Put(tree, key, value);
      contents[key] = value;
    } else if (dice < 68) {
      batch.Erase(tree, key);
      contents.erase(key);
    } else if (dice < 78) {
      batch.Upsert(tree, key, AppendFunction::kNumber, "+");
      contents[key] += "+";
    } else if (dice < 84) {
      const Range range = Range::Prefix(Prefix());
      batch.EraseRange(tree, range);
      std::erase_if(contents, [&](const auto& entry) { return range.Contains(entry.first); });
    } else {
      CloneOrRename(batch, after, tree);
    }
  }

  void CloneOrRename(betr::WriteBatch& batch, Trees& after, TreeId from_tree) {
    const TreeId to_tree = Tree();
    const std::string from = Prefix();
    const std::string to = Prefix();
    const bool rename = random_.OneIn(2);
    if (rename && from_tree == to_tree && to.starts_with(from)) return;
    if (rename) {
      batch.RenamePrefix(from_tree, from, to_tree, to);
    } else {
      batch.ClonePrefix(from_tree, from, to_tree, to);
    }
    Contents copied;
    for (const auto& [key, value] : after[from_tree]) {
      if (key.starts_with(from)) copied[to + key.substr(from.size())] = value;
    }
    if (rename) {
      std::erase_if(after[from_tree], [&](const auto& entry) { return entry.first.starts_with(from); });
    }
    std::erase_if(after[to_tree], [&](const auto& entry) { return entry.first.starts_with(to); });
    after[to_tree].merge(copied);
  }

  void Snapshot(int number) {
    const TreeId source = Tree();
    absl::StatusOr<TreeId> tree = store_->Snapshot(source, "snapshot " + std::to_string(number));
    REQUIRE(tree.ok());
    REQUIRE(absl::IsInvalidArgument(store_->Put(*tree, "a", "b")));
    trees_[*tree] = trees_[source];
    snapshots_.push_back(*tree);
  }

  void DropSnapshot() {
    if (!snapshots_.empty()) {
      const size_t index = random_.Uniform(snapshots_.size());
      REQUIRE(store_->DropTree(snapshots_[index]).ok());
      trees_.erase(snapshots_[index]);
      snapshots_.erase(snapshots_.begin() + static_cast<ptrdiff_t>(index));
    }
  }

  void Verify() {
    if (!background_) VerifyTotals();
    REQUIRE(store_->Trees().size() == trees_.size());
    for (const auto& [tree, contents] : trees_) {
      absl::StatusOr<std::unique_ptr<Cursor>> cursor = store_->NewCursor(tree);
      REQUIRE(cursor.ok());
      Contents found;
      for ((*cursor)->SeekToFirst(); (*cursor)->Valid(); (*cursor)->Next()) {
        found.emplace((*cursor)->Key(), (*cursor)->Value());
      }
      INFO((*cursor)->status());
      REQUIRE((*cursor)->status().ok());
      REQUIRE(found == contents);
      const std::string key = Key();
      const auto expected = contents.find(key);
      const auto value = store_->Get(tree, key);
      REQUIRE(value.ok());
      REQUIRE(*value == (expected == contents.end() ? std::nullopt : std::optional(expected->second)));
      VerifyEstimate(tree, contents);
    }
  }

  // What is added up as it changes, against sums over all trees.
  void VerifyTotals() {
    const store::Fronts& fronts = store_->impl().fronts();
    const store::Core& core = store_->impl().core();
    const std::map<TreeId, Bytes> sizes = fronts.Sizes();
    Bytes size{0};
    for (const auto& [tree, bytes] : sizes) size += bytes;
    REQUIRE(fronts.Size() == size);
    REQUIRE(fronts.All().trees == sizes.size());
    const store::StatePtr state = fronts.state();
    const uint64_t needed = store::CheckpointUnits(core, fronts, *state);
    REQUIRE(store::CheckpointUnitsAtMost(core, fronts, *state) >= needed);
    if (random_.OneIn(50)) {
      store::CountRoots(fronts);
      const uint64_t since = core.io->BoundsRisen() - state->risen;
      REQUIRE(store::CheckpointUnitsAtMost(core, fronts, *state) >= needed);
      REQUIRE(store::CheckpointUnitsAtMost(core, fronts, *state) <= needed + 2 * since + 10 * sizes.size() + 2);
    }
  }

  void VerifyEstimate(TreeId tree, const Contents& contents) {
    const Range range{Bound::At(Key()), random_.OneIn(2) ? Bound::Past(Key()) : Bound::At(Key())};
    const absl::StatusOr<RangeEstimate> estimate = store_->Estimate(tree, range);
    REQUIRE(estimate.ok());
    if (estimate->exact) {
      REQUIRE(estimate->keys == static_cast<uint64_t>(std::ranges::count_if(
                                    contents, [&](const auto& entry) { return range.Contains(entry.first); })));
    }
  }

  Random random_;
  const bool background_;
  const Experiments experiments_;
  MemoryDevice device_;
  std::unique_ptr<Store> store_;
  Trees trees_;
  std::vector<TreeId> writable_;
  std::vector<TreeId> snapshots_;
};

void RunMany(uint64_t seeds, int steps, bool background, const Experiments& experiments = {}) {
  for (uint64_t i = 0; i < seeds; ++i) {
    const uint64_t seed = TestSeed() + i;
    INFO("seed " << seed);
    StoreRun run(seed, background, experiments);
    for (int step = 0; step < steps; ++step) {
      INFO("step " << step);
      run.Step(step);
    }
    run.CheckImage();
  }
}

}  // namespace

TEST_CASE("a store agrees with maps through reopening", "[store][random]") {
  RunMany(static_cast<uint64_t>(60 * TestScale()), 300, false);
}

TEST_CASE("a store agrees with maps, one experiment after the other", "[store][random][ablation]") {
  const auto seeds = static_cast<uint64_t>(6 * TestScale()) + 1;
  std::string all;
  for (const ExperimentName& one : ExperimentNames()) {
    INFO(one.name);
    RunMany(seeds, 200, false, *ParseExperiments(one.name));
    all += (all.empty() ? "" : ",") + std::string(one.name);
  }
  RunMany(seeds, 200, true, *ParseExperiments(all));
}

TEST_CASE("a store agrees with maps while background threads work", "[store][random]") {
  RunMany(static_cast<uint64_t>(20 * TestScale()), 300, true);
}

}  // namespace betr::test
