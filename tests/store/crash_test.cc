// SPDX-License-Identifier: Apache-2.0
// Crashes at every device write of a workload with clones, checkpoints and log wrap, in order and reordered and torn:
// the image opens by itself, holds what was synced and of the rest a prefix of whole batches, and goes on working.
#include <catch2/catch.hpp>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/random.h"
#include "betr/store.h"
#include "dag/check.h"
#include "device/memory_device.h"
#include "device/recording_device.h"
#include "store/impl.h"
#include "support/dag/upserts.h"
#include "support/seed.h"

namespace betr::test {
namespace {

using Contents = std::map<std::string, std::string>;

class Borrowed final : public ForwardingDevice {
 public:
  explicit Borrowed(BlockDevice& device) : ForwardingDevice(device) {}
};

StoreOptions Options(Logging logging) {
  StoreOptions options;
  options.cache_size = KiB(64);  // small, so that eviction writes nodes between checkpoints
  options.background = false;
  options.checkpoint_period = std::chrono::seconds(0);
  options.logging = logging;
  REQUIRE(options.functions.Add(std::make_shared<AppendFunction>()).ok());
  return options;
}

void CheckImage(Store& store) {
  std::map<NodeId, uint32_t> roots;
  const store::StatePtr state = store.impl().fronts().state();
  for (const auto& [id, tree] : state->trees) {
    ++roots[tree.root];
  }
  std::string findings;
  dag::CheckDag(state->table, roots, {}, [&](const dag::Finding& finding) {
    findings += "node " + std::to_string(finding.node.value) + ": " + finding.what + "\n";
  });
  REQUIRE(findings == "");
}

Contents ReadAll(Store& store, TreeId tree) {
  auto cursor = store.NewCursor(tree);
  REQUIRE(cursor.ok());
  Contents contents;
  for ((*cursor)->SeekToFirst(); (*cursor)->Valid(); (*cursor)->Next()) {
    contents.emplace((*cursor)->Key(), (*cursor)->Value());
  }
  INFO((*cursor)->status());
  REQUIRE((*cursor)->status().ok());
  return contents;
}

// Runs batches on a store and remembers what it held after each.
class Workload {
 public:
  explicit Workload(uint64_t seed) : random_(seed) { states_.emplace_back(); }

  void Batch(Store& store, TreeId tree) {
    WriteBatch batch;
    Contents after = states_.back();
    for (uint64_t n = 1 + random_.Uniform(6); n > 0; --n) {
      Change(batch, tree, after);
    }
    const absl::Status status = store.Write(batch);
    INFO(status);
    REQUIRE(status.ok());
    states_.push_back(std::move(after));
  }

  Random& random() { return random_; }
  size_t Count() const { return states_.size(); }
  const Contents& After(size_t batches) const { return states_[batches]; }

 private:
  std::string Key() {
    std::string key;
    for (uint64_t n = 1 + random_.Uniform(5); n > 0; --n) {
      key.push_back("abc\xff"[random_.Uniform(4)]);
    }
    return key;
  }

  void Change(WriteBatch& batch, TreeId tree, Contents& after) {
    const uint64_t dice = random_.Uniform(100);
    const std::string key = Key();
    if (dice < 65) {
      const std::string value(random_.Uniform(600), static_cast<char>('a' + random_.Uniform(26)));
      batch.Put(tree, key, value);
      after[key] = value;
    } else if (dice < 75) {
      batch.Upsert(tree, key, AppendFunction::kNumber, "+");
      after[key] += "+";
    } else if (dice < 83) {
      batch.EraseRange(tree, Range::Prefix(key));
      std::erase_if(after, [&](const auto& entry) { return entry.first.starts_with(key); });
    } else {
      Clone(batch, tree, after, key.substr(0, 2), Key().substr(0, 2));
    }
  }

  void Clone(WriteBatch& batch, TreeId tree, Contents& after, const std::string& from, const std::string& to) {
    const bool rename = random_.OneIn(2) && !to.starts_with(from);
    if (rename) {
      batch.RenamePrefix(tree, from, tree, to);
    } else {
      batch.ClonePrefix(tree, from, tree, to);
    }
    Contents copied;
    for (const auto& [key, value] : after) {
      if (key.starts_with(from)) {
        copied[to + key.substr(from.size())] = value;
      }
    }
    std::erase_if(after, [&](const auto& entry) {
      return entry.first.starts_with(to) || (rename && entry.first.starts_with(from));
    });
    after.merge(copied);
  }

  Random random_;
  std::vector<Contents> states_;
};

class CrashRun {
 public:
  explicit CrashRun(uint64_t seed) : workload_(seed), disk_(MiB(16)) {
    FormatOptions format;
    format.node_size = Bytes{1024};
    format.basement_size = Bytes{256};
    format.fanout = 8;
    format.log_size = KiB(64);
    REQUIRE(Store::Format(disk_, format).ok());
    auto store = Store::Open(std::make_unique<Borrowed>(disk_), Options(Logging::kFull));
    REQUIRE(store.ok());
    tree_ = (*store)->CreateTree("tree").value();
    REQUIRE((*store)->Close().ok());
  }

  // Works for a while, recording; then crashes at `crashes` points, each time in several ways.
  void WorkAndCrash(int steps, uint64_t crashes) {
    RecordingDevice recorder(disk_, disk_.Pages());
    std::map<size_t, size_t> synced;  // events in the record -> batches that are durable
    synced[0] = workload_.Count() - 1;
    {
      const Logging logging = workload_.random().OneIn(4) ? Logging::kBulk : Logging::kFull;
      auto store = Store::Open(std::make_unique<Borrowed>(recorder), Options(logging));
      INFO(store.status());
      REQUIRE(store.ok());
      for (int step = 0; step < steps; ++step) {
        workload_.Batch(**store, tree_);
        const uint64_t dice = workload_.random().Uniform(30);
        if (dice < 6) {
          const absl::Status status = dice == 0 ? (*store)->Checkpoint() : (*store)->Sync();
          INFO(status);
          REQUIRE(status.ok());
          synced[recorder.History().EventCount()] = workload_.Count() - 1;
        }
      }
      REQUIRE((*store)->Sync().ok());  // the next round goes on from here
    }
    for (uint64_t i = 0; i < crashes; ++i) {
      const size_t events = recorder.History().EventCount();
      const size_t at = crashes >= events ? std::min<size_t>(i, events) : workload_.random().Uniform(events + 1);
      const CrashPlan plan = workload_.random().OneIn(2) ? recorder.History().PrefixPlan(at)
                                                         : recorder.History().RandomPlan(at, workload_.random());
      INFO("crash " << i << ": " << FormatPlan(plan));
      Check(*recorder.History().CrashImage(plan), std::prev(synced.upper_bound(at))->second);
    }
  }

 private:
  // The image holds a whole number of batches, at least those that were durable, and takes more.
  void Check(MemoryDevice& image, size_t durable) {
    for (int again = 0; again < 2; ++again) {  // recovery changes nothing: a second one finds the same
      auto store = Store::Open(std::make_unique<Borrowed>(image), Options(Logging::kFull));
      INFO(store.status());
      REQUIRE(store.ok());
      CheckImage(**store);
      const Contents found = ReadAll(**store, tree_);
      size_t batches = durable;
      while (batches < workload_.Count() && workload_.After(batches) != found) {
        ++batches;
      }
      REQUIRE(batches < workload_.Count());
      if (again == 1) {
        REQUIRE((*store)->Put(tree_, "after", "crash").ok());
        REQUIRE((*store)->Close().ok());
      }
    }
  }

  Workload workload_;
  MemoryDevice disk_;
  TreeId tree_;
};

}  // namespace

TEST_CASE("crashes at sampled device writes lose nothing that was synced", "[store][crash]") {
  const auto seeds = static_cast<uint64_t>(20 * TestScale());
  for (uint64_t i = 0; i < seeds; ++i) {
    INFO("seed " << TestSeed() + i);
    CrashRun run(TestSeed() + i);
    for (int round = 0; round < 4; ++round) {
      run.WorkAndCrash(60, 60);
    }
  }
}

TEST_CASE("a crash at every device write of a workload loses nothing that was synced", "[store][crash][.long]") {
  for (uint64_t i = 0; i < 20; ++i) {
    INFO("seed " << TestSeed() + i);
    CrashRun run(TestSeed() + i);
    run.WorkAndCrash(400, 1'000'000);
  }
}

}  // namespace betr::test
