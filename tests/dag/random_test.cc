// SPDX-License-Identifier: Apache-2.0
// Random operations on small DAGs against std::map: all kinds, clones into, out of, over and inside clones, several
// trees, snapshots; every invariant and every byte checked after each step.
#include "base/random.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "support/dag/dag_harness.h"
#include "support/seed.h"

namespace betr::test {
namespace {

class RandomRun {
 public:
  explicit RandomRun(uint64_t seed) : random_(seed), dag_(RandomShape(), random_.OneIn(2)) {
    if (random_.OneIn(3)) {
      dag_.AddTree();
      trees_ = 2;
    }
    alphabet_ = random_.OneIn(3) ? std::string("\0\xff", 2) : std::string("\0ab\xff", 4);
  }

  void Step(int number) {
    const uint64_t dice = random_.Uniform(100);
    const size_t tree = random_.Uniform(trees_);
    if (dice < 42) {
      dag_.Put(tree, Key(), Value(number));
    } else if (dice < 50) {
      dag_.Erase(tree, Key());
    } else if (dice < 58) {
      dag_.Append(tree, Key(), "+" + std::to_string(number));
    } else if (dice < 64) {
      dag_.EraseRange(tree, SomeRange());
    } else if (dice < 74) {
      dag_.Clone(tree, Prefix(), random_.Uniform(trees_), Prefix());
    } else if (dice < 82) {
      dag_.Rename(tree, Prefix(), random_.Uniform(trees_), Prefix());
    } else if (dice < 90) {
      dag_.Seal(tree);
    } else if (dice < 91) {
      dag_.FlushAll(tree);
    } else if (dice < 93) {
      if (dag_.Snapshots() < 3) {
        dag_.Snapshot(tree);
      } else {
        dag_.DropSnapshot(random_.Uniform(dag_.Snapshots()));
      }
    }
    while (random_.OneIn(2) && dag_.Work(tree)) {
    }
    while (random_.OneIn(2) && dag_.ReclaimOne()) {
    }
    if (dag_.Oracle(tree).size() > 400) {
      dag_.EraseRange(tree, Range::Prefix(Key().substr(0, 1)));
    }
    dag_.Verify({Key(), Key(), Prefix(), ExistingKey(tree)});
  }

 private:
  dag::Shape RandomShape() {
    dag::Shape shape;
    shape.node_size = Bytes{64 + random_.Uniform(600)};
    shape.basement_size = Bytes{32 + random_.Uniform(128)};
    shape.fanout = 4 + random_.Uniform(8);
    shape.runs = 1 + random_.Uniform(5);
    return shape;
  }

  std::string Key() {
    std::string key;
    for (uint64_t n = random_.Uniform(8); n > 0; --n) {
      key.push_back(alphabet_[random_.Uniform(alphabet_.size())]);
    }
    return key;
  }

  std::string ExistingKey(size_t tree) {
    const Contents& oracle = dag_.Oracle(tree);
    const auto found = oracle.lower_bound(Key());
    return found == oracle.end() ? Key() : found->first;
  }

  std::string Prefix() { return Key().substr(0, random_.OneIn(8) ? 0 : 1 + random_.Uniform(4)); }

  std::string Value(int number) {
    return random_.OneIn(20) ? std::string(1 + random_.Uniform(300), 'v') : "v" + std::to_string(number);
  }

  Range SomeRange() {
    if (random_.OneIn(2)) {
      return Range::Prefix(Prefix());
    }
    Bound a{Key(), random_.OneIn(2)};
    Bound b{Key(), random_.OneIn(2)};
    return a < b ? Range{a, b} : Range{b, a};
  }

  Random random_;
  DagHarness dag_;
  size_t trees_ = 1;
  std::string alphabet_;
};

}  // namespace

TEST_CASE("random operations agree with a map", "[dag][random]") {
  const auto seeds = static_cast<uint64_t>(200 * TestScale());
  for (uint64_t i = 0; i < seeds; ++i) {
    const uint64_t seed = TestSeed() + i;
    INFO("seed " << seed);
    RandomRun run(seed);
    for (int step = 0; step < 400; ++step) {
      INFO("step " << step);
      run.Step(step);
    }
  }
}

}  // namespace betr::test
