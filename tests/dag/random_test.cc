// SPDX-License-Identifier: Apache-2.0
// Random operations on small DAGs against std::map: all kinds, clones into, out of, over and inside clones, several
// trees, snapshots; every invariant and every byte checked after each step. One test case for each shape of load, so
// that they run side by side; together a million operations.
#include "base/random.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "dag/change/copy_at_once.h"
#include "dag/change/eager_goto.h"
#include "dag/change/split_by_size.h"
#include "support/dag/dag_harness.h"
#include "support/seed.h"

namespace betr::test {
namespace {

// How often something happens, out of a hundred steps.
struct Load {
  int puts = 42;
  int erases = 8;
  int appends = 8;
  int range_erases = 6;
  int clones = 10;
  int renames = 8;
  int seals = 8;
  int flushes = 1;
  int snapshots = 2;  // taken or dropped

  uint64_t trees = 1;
  size_t most_keys = 250;
  uint64_t longest_key = 7;
  uint64_t widest_prefix = 4;
  Residence residence = Residence::kMemory;
  bool faults = false;
  dag::Policy policy;
};

class RandomRun {
 public:
  RandomRun(const Load& load, uint64_t seed)
      : load_(load), random_(seed), dag_(SomeShape(), random_.OneIn(2), load.policy) {
    while (dag_.Trees() < load_.trees) dag_.AddTree();
    alphabet_ = random_.OneIn(3) ? std::string("\0\xff", 2) : std::string("\0ab\xff", 4);
    dag_.source().SetResidence(load_.residence);
    if (load_.faults) dag_.InjectFaults();
  }

  void Step(int number) {
    const size_t tree = random_.Uniform(dag_.Trees());
    Change(tree, number);
    while (random_.OneIn(2) && dag_.Work(tree).done) {
    }
    while (random_.OneIn(2) && dag_.ReclaimOne()) {
    }
    if (random_.OneIn(50)) dag_.RelearnDead();
    if (random_.OneIn(4)) dag_.PruneStep();
    while (dag_.Oracle(tree).size() > load_.most_keys) {
      dag_.EraseRange(tree, Range::Prefix(ExistingKey(tree).substr(0, 1)));
    }
    dag_.Verify({Key(), Prefix(), ExistingKey(tree)});
  }

  const dag::Counters& Counts() { return dag_.counters(); }

  void Finish() {
    for (size_t tree = 0; tree < dag_.Trees(); ++tree) dag_.FlushAll(tree);
    while (dag_.ReclaimOne()) {
    }
    dag_.Verify({Key()});
  }

 private:
  void Change(size_t tree, int number) {
    int dice = static_cast<int>(random_.Uniform(100));
    const auto falls_to = [&](int share) { return (dice -= share) < 0; };
    if (falls_to(load_.puts)) {
      dag_.Put(tree, Key(), Value(number));
    } else if (falls_to(load_.erases)) {
      dag_.Erase(tree, random_.OneIn(2) ? Key() : ExistingKey(tree));
    } else if (falls_to(load_.appends)) {
      dag_.Append(tree, random_.OneIn(2) ? Key() : ExistingKey(tree), "+" + std::to_string(number));
    } else if (falls_to(load_.range_erases)) {
      dag_.EraseRange(tree, SomeRange());
    } else if (falls_to(load_.clones)) {
      dag_.Clone(tree, Source(tree), random_.Uniform(dag_.Trees()), Prefix());
    } else if (falls_to(load_.renames)) {
      dag_.Rename(tree, Source(tree), random_.Uniform(dag_.Trees()), Prefix());
    } else if (falls_to(load_.seals)) {
      dag_.Seal(tree);
    } else if (falls_to(load_.flushes)) {
      if (random_.OneIn(2)) {
        dag_.FlushAll(tree);
      } else {
        dag_.FlushInSteps(tree, Bytes{random_.Uniform(4'000)});
      }
    } else if (falls_to(load_.snapshots)) {
      TakeOrDropSnapshot(tree);
    }
  }

  void TakeOrDropSnapshot(size_t tree) {
    if (dag_.Snapshots() < 3) {
      dag_.Snapshot(tree);
    } else {
      dag_.DropSnapshot(random_.Uniform(dag_.Snapshots()));
    }
  }

  dag::Shape SomeShape() {
    dag::Shape shape;
    shape.node_size = Bytes{64 + random_.Uniform(600)};
    shape.basement_size = Bytes{32 + random_.Uniform(128)};
    shape.fanout = 4 + random_.Uniform(8);
    shape.runs = 1 + random_.Uniform(5);
    return shape;
  }

  std::string Key() {
    std::string key;
    for (uint64_t n = random_.Uniform(load_.longest_key + 1); n > 0; --n) {
      key.push_back(alphabet_[random_.Uniform(alphabet_.size())]);
    }
    return key;
  }

  std::string ExistingKey(size_t tree) {
    const Contents& oracle = dag_.Oracle(tree);
    const auto found = oracle.lower_bound(Key());
    return found != oracle.end() ? found->first : oracle.empty() ? Key() : oracle.begin()->first;
  }

  std::string Cut(const std::string& key) {
    return key.substr(0, random_.OneIn(8) ? 0 : 1 + random_.Uniform(load_.widest_prefix));
  }
  std::string Prefix() { return Cut(Key()); }
  std::string Source(size_t tree) { return Cut(random_.OneIn(3) ? Key() : ExistingKey(tree)); }

  std::string Value(int number) {
    return random_.OneIn(20) ? std::string(1 + random_.Uniform(300), 'v') : "v" + std::to_string(number);
  }

  Range SomeRange() {
    if (random_.OneIn(2)) return Range::Prefix(Prefix());
    const Bound a{Key(), random_.OneIn(2)};
    const Bound b{Key(), random_.OneIn(2)};
    return a < b ? Range{a, b} : Range{b, a};
  }

  const Load load_;
  Random random_;
  DagHarness dag_;
  std::string alphabet_;
};

// `operations` steps of a load, from a new DAG and a new seed every 500. The harness asserts; in a
// run of the usual size nodes must have split and been unshared.
void Run(const Load& load, int operations) {
  constexpr int kSteps = 500;
  const auto seeds = static_cast<uint64_t>(std::max(1.0, operations * TestScale() / kSteps));
  uint64_t splits = 0;
  uint64_t unshares = 0;
  for (uint64_t seed = TestSeed(); seed < TestSeed() + seeds; ++seed) {
    INFO("seed " << seed << ": the first one of --betr-seed " << seed);
    RandomRun run(load, seed);
    for (int step = 0; step < kSteps; ++step) {
      INFO("step " << step);
      run.Step(step);
    }
    run.Finish();
    splits += run.Counts().splits;
    unshares += run.Counts().unshares;
  }
  REQUIRE((TestScale() < 1 || splits > 0));
  REQUIRE((TestScale() < 1 || unshares > 0));
}

}  // namespace

TEST_CASE("random operations: a bit of everything", "[dag][random]") { Run({}, 250'000); }

TEST_CASE("random operations: two trees and many snapshots", "[dag][random]") {
  Load load;
  load.trees = 2;
  load.most_keys = 120;
  load.snapshots = 8;
  load.puts = 36;
  Run(load, 120'000);
}

TEST_CASE("random operations: mostly clones and renames", "[dag][random]") {
  Load load;
  load.puts = 25;
  load.clones = 28;
  load.renames = 20;
  load.most_keys = 150;
  Run(load, 150'000);
}

TEST_CASE("random operations: mostly range erases over what is shared", "[dag][random]") {
  Load load;
  load.puts = 35;
  load.range_erases = 25;
  load.clones = 15;
  load.renames = 5;
  load.erases = 6;
  load.appends = 4;
  load.widest_prefix = 6;
  Run(load, 200'000);
}

TEST_CASE("random operations: upserts", "[dag][random]") {
  Load load;
  load.puts = 10;
  load.appends = 50;
  load.range_erases = 4;
  load.longest_key = 4;
  Run(load, 150'000);
}

TEST_CASE("random operations: nothing is in memory", "[dag][random]") {
  Load load;
  load.residence = Residence::kDisk;
  Run(load, 80'000);
}

TEST_CASE("random operations: some of it is in memory", "[dag][random]") {
  Load load;
  load.residence = Residence::kSometimes;
  load.clones = 14;
  Run(load, 80'000);
}

TEST_CASE("random operations: clones and renames become edges at once", "[dag][random][ablation]") {
  Load load;
  load.policy.after_goto = dag::DriveDown;
  load.residence = Residence::kSometimes;
  load.clones = 16;
  load.renames = 14;
  Run(load, 40'000);
}

TEST_CASE("random operations: shared nodes are copied at once", "[dag][random][ablation]") {
  Load load;
  load.policy.flush_at_once = dag::HeaviestOverShared;
  load.residence = Residence::kSometimes;
  load.clones = 16;
  Run(load, 40'000);
}

TEST_CASE("random operations: nodes are split by size, and all other experiments", "[dag][random][ablation]") {
  Load load;
  load.policy = {dag::NearestCentre, dag::HeaviestOverShared, dag::DriveDown};
  Run(load, 40'000);
}

TEST_CASE("random operations: every read of a clone that becomes an edge fails once", "[dag][random][ablation]") {
  Load load;
  load.policy = {dag::NearestCentre, dag::HeaviestOverShared, dag::DriveDown};
  load.faults = true;
  load.most_keys = 80;
  load.residence = Residence::kSometimes;
  Run(load, 4'000);
}

TEST_CASE("random operations: every read fails once", "[dag][random]") {
  Load load;
  load.faults = true;
  load.most_keys = 80;
  load.residence = Residence::kSometimes;
  Run(load, 20'000);
}

}  // namespace betr::test
