// SPDX-License-Identifier: Apache-2.0
// What stands in front of many trees: what is added up about it, and what views show of it, against sums and maps.
#include <catch2/catch.hpp>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/random.h"
#include "store/impl.h"
#include "support/dag/upserts.h"
#include "support/must.h"
#include "support/seed.h"
#include "support/store/memory_store.h"

namespace betr::test {
namespace {

using Contents = std::map<std::string, std::string>;
using Trees = std::map<TreeId, Contents>;

constexpr uint64_t kTrees = 30;

struct Pinned {
  std::shared_ptr<const ReadView> view;
  Trees trees;
};

// Many trees with a little in front of each. No background threads: nothing changes while it is looked at.
class FrontsRun {
 public:
  explicit FrontsRun(uint64_t seed) : random_(seed), memory_({MiB(64), KiB(4), Bytes{512}, MiB(4), 8}) { Open(); }

  void Step(int number) {
    const uint64_t dice = random_.Uniform(100);
    if (trees_.empty() || (dice < 10 && trees_.size() < kTrees)) {
      trees_[Must(store().CreateTree("tree " + std::to_string(number)))];
    } else if (dice < 70) {
      Change(number);
    } else if (dice < 75) {
      Clone();
    } else if (dice < 77) {
      const TreeId tree = Tree();
      Must(store().DropTree(tree));
      trees_.erase(tree);
    } else if (dice < 80) {
      Must(store().Checkpoint());
      REQUIRE(fronts().All().trees == 0);
      REQUIRE(fronts().All().active == Bytes{0});
      REQUIRE(fronts().All().sealed == 0);
    } else if (dice < 81) {
      pinned_.clear();
      Open();  // what was written is read again when it is needed, or replayed
    } else if (dice < 90) {
      pinned_.push_back({store().Pin(), trees_});
    } else if (dice < 95 && !pinned_.empty()) {
      pinned_.erase(pinned_.begin() + static_cast<ptrdiff_t>(random_.Uniform(pinned_.size())));
    } else if (dice < 96) {
      store::CountRoots(fronts());
    }
    Verify();
  }

 private:
  Store& store() { return *memory_.store; }
  store::Fronts& fronts() { return store().impl().fronts(); }

  void Open() {
    if (memory_.store != nullptr) Must(store().Sync());
    StoreOptions options;
    options.background = false;
    options.cache_size = KiB(512);
    options.checkpoint_period = std::chrono::seconds(0);
    Must(options.functions.Add(std::make_shared<AppendFunction>()));
    memory_.Open(options);
  }

  TreeId Tree() { return std::next(trees_.begin(), static_cast<ptrdiff_t>(random_.Uniform(trees_.size())))->first; }
  std::string Key() {
    return std::string(1, static_cast<char>('a' + random_.Uniform(5))) + std::to_string(random_.Uniform(20));
  }

  void Change(int number) {
    WriteBatch batch;
    for (uint64_t n = random_.Skewed(5) + 1; n > 0; --n) {
      const TreeId tree = Tree();
      Contents& contents = trees_[tree];
      const std::string key = Key();
      const std::string value = std::to_string(number) + std::string(random_.Skewed(8), 'v');
      const uint64_t dice = random_.Uniform(10);
      if (dice < 5) {
        batch.Put(tree, key, value);
        contents[key] = value;
      } else if (dice < 7) {
        batch.Erase(tree, key);
        contents.erase(key);
      } else if (dice < 9) {
        batch.Upsert(tree, key, AppendFunction::kNumber, value);
        contents[key] += value;
      } else {
        const Range range = Range::Prefix(key.substr(0, 1));
        batch.EraseRange(tree, range);
        std::erase_if(contents, [&](const auto& entry) { return range.Contains(entry.first); });
      }
    }
    Must(store().Write(batch));
  }

  // One character of keys takes the place of another one's.
  void Clone() {
    const TreeId from = Tree();
    const TreeId to = Tree();
    const std::string source = Key().substr(0, 1);
    const std::string target = Key().substr(0, 1);
    Must(store().ClonePrefix(from, source, to, target));
    Contents copied;
    for (const auto& [key, value] : trees_[from]) {
      if (key.starts_with(source)) copied[target + key.substr(1)] = value;
    }
    std::erase_if(trees_[to], [&](const auto& entry) { return entry.first.starts_with(target); });
    trees_[to].merge(copied);
  }

  void Verify() {
    VerifyTotals();
    if (!trees_.empty()) VerifyView(store().Pin(), trees_);
    for (const Pinned& pinned : pinned_) {
      if (!pinned.trees.empty()) VerifyView(pinned.view, pinned.trees);
    }
  }

  void VerifyTotals() {
    Bytes size{0};
    for (const auto& [tree, bytes] : fronts().Sizes()) size += bytes;
    const store::Fronts::Together all = fronts().All();
    REQUIRE(all.size == size);
    REQUIRE(all.active <= size);
    REQUIRE((all.sealed > 0 || all.active == size));
    REQUIRE(all.trees == fronts().Sizes().size());
    const store::StatePtr state = fronts().state();
    const store::Core& core = store().impl().core();
    REQUIRE(store::CheckpointUnitsAtMost(core, fronts(), *state) >= store::CheckpointUnits(core, fronts(), *state));
  }

  // One of its trees.
  void VerifyView(const std::shared_ptr<const ReadView>& view, const Trees& trees) {
    const auto& [tree, contents] = *std::next(trees.begin(), static_cast<ptrdiff_t>(random_.Uniform(trees.size())));
    Contents found;
    const auto cursor = Must(store().NewCursor(view, tree));
    for (cursor->SeekToFirst(); cursor->Valid(); cursor->Next()) found.emplace(cursor->Key(), cursor->Value());
    Must(cursor->status());
    REQUIRE(found == contents);
    const std::string key = Key();
    const auto expected = contents.find(key);
    REQUIRE(Must(store().Get(*view, tree, key)) ==
            (expected == contents.end() ? std::nullopt : std::optional(expected->second)));
  }

  Random random_;
  MemoryStore memory_;
  Trees trees_;
  std::vector<Pinned> pinned_;
};

}  // namespace

TEST_CASE("what is known of all buffers together agrees with each, and views with maps", "[store][random]") {
  const auto seeds = static_cast<uint64_t>(20 * TestScale());
  for (uint64_t i = 0; i < seeds; ++i) {
    INFO("seed " << TestSeed() + i);
    FrontsRun run(TestSeed() + i);
    for (int step = 0; step < 1'000; ++step) {
      INFO("step " << step);
      run.Step(step);
    }
  }
}

TEST_CASE("a checkpoint finds its space when as much was let in as goes in front of many trees", "[store]") {
  MemoryStore memory({MiB(16), KiB(16), KiB(4), MiB(1)});
  StoreOptions options;
  options.background = false;
  options.checkpoint_period = std::chrono::seconds(0);
  options.cache_size = MiB(64);
  memory.Open(options);
  Random random(TestSeed());
  std::vector<TreeId> trees;
  for (int i = 0; i < 60; ++i) trees.push_back(Must(memory.store->CreateTree(std::to_string(i))));
  absl::Status put;
  for (int i = 0; put.ok(); ++i) {
    put = memory.store->Put(trees[random.Uniform(trees.size())], std::to_string(i), random.String(3000));
  }
  REQUIRE(absl::IsResourceExhausted(put));
  Must(memory.store->Checkpoint());
  memory.CheckSound();
}

}  // namespace betr::test
