// SPDX-License-Identifier: Apache-2.0
// Random operations on a directory that is cloned again and again, faster than background work comes by: what was
// written waits for many clones at once.
#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "base/random.h"
#include "support/dag/dag_harness.h"
#include "support/dag/random_pieces.h"
#include "support/seed.h"

namespace betr::test {
namespace {

// A directory that is written to and cloned all the time: its generations lie in each other, have names that begin with
// each other and are longer than what views are told apart by, and are written to, renamed and erased, too.
class Generations {
 public:
  Generations(uint64_t seed, bool faults)
      : random_(seed), dag_(RandomShape(random_), random_.OneIn(2)), alphabet_(RandomAlphabet(random_)) {
    for (int i = 0; i < 6; ++i) {
      const std::string same = random_.OneIn(3) ? std::string(250 + random_.Uniform(20), random_.Pick(alphabet_)) : "";
      names_.push_back((random_.OneIn(2) ? "g" : "") + same + Text(3));
    }
    live_ = random_.Pick(names_);
    work_ = 1 + random_.Uniform(12);
    const Residence residences[] = {Residence::kMemory, Residence::kMemory, Residence::kSometimes, Residence::kDisk};
    dag_.source().SetResidence(residences[random_.Uniform(4)]);
    if (faults) {
      dag_.source().SetResidence(Residence::kSometimes);
      dag_.InjectFaults();
    }
  }

  void Step(int number) {
    Change(number);
    for (uint64_t steps = random_.OneIn(work_) ? 20 : random_.Uniform(3); steps > 0 && dag_.Work(0).done; --steps) {
    }
    while (random_.OneIn(2) && dag_.ReclaimOne()) {
    }
    if (random_.OneIn(8)) dag_.PruneStep();
    while (dag_.Oracle(0).size() > 300) {
      const std::string name = random_.Pick(names_);
      dag_.EraseRange(0, Range::Prefix(random_.OneIn(4) ? name.substr(0, 1) : name));
    }
    dag_.Verify({Key(), Key()});
  }

  void Finish() {
    dag_.Settle(0);
    dag_.Verify({Key()});
    dag_.FlushAll(0);
    dag_.Verify({Key()});
  }

  const dag::Counters& Counts() { return dag_.counters(); }

 private:
  std::string Text(uint64_t longest) { return RandomText(random_, alphabet_, longest); }
  std::string Below() { return (random_.OneIn(6) ? std::string(260, alphabet_[0]) : "") + Text(4); }
  std::string Directory() { return random_.OneIn(3) ? random_.Pick(names_) : live_; }
  std::string Key() { return Directory() + Below(); }
  std::string Prefix() {
    const std::string prefix = random_.Pick(names_) + (random_.OneIn(4) ? Below() : "");
    return random_.OneIn(20) ? prefix.substr(0, random_.Uniform(3)) : prefix;
  }

  void Change(int number) {
    const uint64_t dice = random_.Uniform(100);
    if (dice < 45) {
      for (uint64_t n = 1 + random_.Uniform(6); n > 0; --n) {
        const uint64_t kind = random_.Uniform(8);
        const std::string key = Key();
        if (kind == 0) {
          dag_.Erase(0, key);
        } else if (kind < 3) {
          dag_.Append(0, key, "+" + std::to_string(number));
        } else {
          dag_.Put(0, key, random_.OneIn(15) ? std::string(1 + random_.Uniform(300), 'v') : std::to_string(number));
        }
      }
    } else if (dice < 75) {
      dag_.Clone(0, random_.OneIn(5) ? Prefix() : live_, 0, Prefix());
    } else if (dice < 83) {
      const std::string name = random_.Pick(names_);
      const Bound a{name + Text(3), random_.OneIn(2)};
      const Bound b{name + Text(3), random_.OneIn(2)};
      dag_.EraseRange(0, random_.OneIn(2) ? Range::Prefix(Prefix()) : a < b ? Range{a, b} : Range{b, a});
    } else if (dice < 90) {
      dag_.Rename(0, Prefix(), 0, Prefix());
    } else if (dice < 93) {
      live_ = random_.Pick(names_);
    } else if (dice < 96) {
      if (dag_.Snapshots() < 3) {
        dag_.Snapshot(0);
      } else {
        dag_.DropSnapshot(random_.Uniform(dag_.Snapshots()));
      }
    } else {
      dag_.Seal(0);
    }
  }

  Random random_;
  DagHarness dag_;
  const std::string alphabet_;
  std::vector<std::string> names_;
  std::string live_;
  uint64_t work_ = 1;
};

// The harness asserts; in a run of the usual size generations must have been written to after they were cloned.
void RunGenerations(bool faults, int operations) {
  constexpr int kSteps = 300;
  const auto seeds = static_cast<uint64_t>(std::max(1.0, operations * TestScale() / kSteps));
  uint64_t unshares = 0;
  for (uint64_t seed = TestSeed(); seed < TestSeed() + seeds; ++seed) {
    INFO("seed " << seed << ": the first one of --betr-seed " << seed);
    Generations run(seed, faults);
    for (int step = 0; step < kSteps; ++step) {
      INFO("step " << step);
      run.Step(step);
    }
    run.Finish();
    unshares += run.Counts().unshares;
  }
  REQUIRE((TestScale() < 1 || unshares > 0));
}

}  // namespace

TEST_CASE("random operations: generations of a directory", "[dag][random]") { RunGenerations(false, 10'000); }

TEST_CASE("random operations: generations of a directory, and every read fails once", "[dag][random]") {
  RunGenerations(true, 1'000);
}

}  // namespace betr::test
