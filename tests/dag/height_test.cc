// SPDX-License-Identifier: Apache-2.0
// Height: clones and renames of all widths do not make a tree taller than its content explains, and what is erased
// leaves nothing behind.
#include <algorithm>
#include <catch2/catch.hpp>
#include <iostream>
#include <string>

#include "base/random.h"
#include "dag/change/heal.h"
#include "dag/change/split.h"
#include "support/dag/dag_harness.h"
#include "support/dag/prefix_ops.h"
#include "support/seed.h"

namespace betr::test {
namespace {

dag::Shape ShapeOf(size_t fanout) {
  dag::Shape shape;
  shape.node_size = Bytes{512};
  shape.basement_size = Bytes{128};
  shape.fanout = fanout;
  return shape;
}

// The height of a tree that was filled with the content in order, with everything at the leaves.
int FreshHeight(const dag::Shape& shape, const Contents& contents) {
  DagHarness fresh(shape, true);
  int count = 0;
  for (const auto& [key, value] : contents) {
    fresh.Put(0, key, value);
    if (++count % 10 == 0) {
      fresh.Seal(0);
      while (fresh.Work(0).done) {
      }
    }
  }
  fresh.FlushAll(0);
  return fresh.HeightOf(0);
}

// Clones and renames, with puts and range erases that keep the content within limits.
class HeightRun {
 public:
  HeightRun(uint64_t seed, size_t fanout, size_t most_keys)
      : random_(seed), shape_(ShapeOf(fanout)), most_keys_(most_keys), dag_(shape_, true) {}

  void Step() {
    const uint64_t dice = random_.Uniform(20);
    if (dice < 9) {
      dag_.Clone(0, Source(), 0, Prefix());
      ++clones_;
    } else if (dice < 13) {
      clones_ += dag_.Rename(0, Source(), 0, Prefix());
    } else {
      for (int i = 0; i < 3; ++i) dag_.Put(0, Key(), "value " + std::to_string(clones_));
    }
    while (dag_.Oracle(0).size() < most_keys_ / 3) dag_.Put(0, Key(), "value");
    while (dag_.Oracle(0).size() > most_keys_) {
      dag_.EraseRange(0, Range::Prefix(Key().substr(0, 1 + random_.Uniform(2))));
    }
    dag_.Settle(0);
  }

  // Nothing of up to five levels can be five levels taller than anything: then a sample will do.
  void Compare(int step) {
    const int height = dag_.HeightOf(0);
    tallest_ = std::max(tallest_, height);
    if (height > 5 || step % 50 == 0) {
      const int fresh = FreshHeight(shape_, dag_.Oracle(0));
      INFO(dag_.Oracle(0).size() << " keys");
      REQUIRE(height <= fresh + 4);
      most_excess_ = std::max(most_excess_, height - fresh);
    }
  }

  void Print() {
    const dag::Counters& counters = dag_.counters();
    std::cout << "fanout " << shape_.fanout << ", up to " << most_keys_ << " keys, " << clones_
              << " clones and renames: at most " << tallest_ << " levels above the leaves, " << most_excess_
              << " more than a fresh tree; each cost " << PerClone(counters.unshares) << " private copies, "
              << PerClone(counters.merges) << " merges and " << PerClone(counters.nodes_created) << " new nodes\n";
  }

  int clones() const { return clones_; }
  DagHarness& dag() { return dag_; }

 private:
  std::string Key() {
    std::string key;
    for (uint64_t n = 1 + random_.Uniform(8); n > 0; --n) key.push_back("\0ab\xff"[random_.Uniform(4)]);
    return key;
  }
  // Of any width; the whole space now and then.
  std::string Prefix() { return Key().substr(0, random_.OneIn(60) ? 0 : 1 + random_.Uniform(5)); }
  // Mostly one under which there is something.
  std::string Source() {
    const auto found = dag_.Oracle(0).lower_bound(Key());
    if (random_.OneIn(10) || found == dag_.Oracle(0).end()) return Prefix();
    return found->first.substr(0, random_.OneIn(60) ? 0 : 1 + random_.Uniform(5));
  }
  double PerClone(uint64_t count) const { return static_cast<double>(count) / std::max(clones_, 1); }

  Random random_;
  dag::Shape shape_;
  size_t most_keys_;
  DagHarness dag_;
  int clones_ = 0;
  int tallest_ = 0;
  int most_excess_ = 0;
};

void RunHeights(size_t fanout, size_t most_keys, uint64_t seed) {
  INFO("fanout " << fanout << ", up to " << most_keys << " keys, seed " << seed);
  HeightRun run(seed, fanout, most_keys);
  const auto clones = static_cast<int>(10'000 * TestScale());
  for (int step = 0; run.clones() < clones; ++step) {
    INFO("step " << step);
    run.Step();
    if (step % 5 == 0) run.Compare(step);
    if (step % 50 == 0) run.dag().VerifyInvariants();
    if (step % 1'000 == 0) run.dag().Verify({});
  }
  run.dag().Verify({});
  run.Print();
}

// Ten generations of a directory, each a clone of the one before, which rotate without background work. While a
// snapshot shares the root, nothing is moved down for a clone, so each has a level of its own.
void RotateGenerations(DagHarness& dag, Random& random, int count) {
  const auto key = [&] { return std::to_string(1'000 + random.Uniform(1'000)); };
  for (int i = 0; i < 1'000; ++i) {
    dag.Put(0, "a0/" + std::to_string(1'000 + i), "some value");
    dag.Put(0, "z/" + std::to_string(1'000 + i), "some value");
  }
  dag.Settle(0);
  for (int i = 1; i <= count; ++i) {
    const std::string to = "a" + std::to_string(i) + "/";
    dag.Snapshot(0);
    dag.Clone(0, "a" + std::to_string(i - 1) + "/", 0, to);
    dag.DropSnapshot(0);
    for (int n = 0; n < 5; ++n) dag.Put(0, to + key(), "changed in " + std::to_string(i));
    if (i >= 10) dag.EraseRange(0, Range::Prefix("a" + std::to_string(i - 10) + "/"));
  }
  dag.Seal(0);
}

// A tree with clones in it, and the directories 0 to 9 that everything is in.
void FillDirectories(DagHarness& dag, Random& random) {
  for (int i = 0; i < 3'000; ++i) {
    dag.Put(0, std::to_string(random.Uniform(10)) + "/" + std::to_string(random.Uniform(10'000)), "some value");
    if (i % 20 == 0) {
      dag.Clone(0, std::to_string(random.Uniform(100)).insert(1, "/"), 0,
                std::to_string(random.Uniform(10)) + "/" + std::to_string(random.Uniform(100)) + "/");
      dag.Work(0);
    }
  }
  dag.Settle(0);
}

// What is left after everything was erased.
void RequireAlmostNothing(DagHarness& dag) {
  REQUIRE(dag.Oracle(0).empty());
  dag.Settle(0);
  dag.Verify({});
  CHECK(dag.HeightOf(0) == 1);
  CHECK(dag.NodeCount() <= 5);
}

}  // namespace

TEST_CASE("a tree gets no taller than nodes may be", "[dag][height]") {
  DagHarness dag(ShapeOf(8), false);
  const dag::Shape shape = ShapeOf(8);
  dag::Edit edit(dag.table(), NodeId{1'000'000}, dag::Context{dag.source(), dag.functions(), shape, dag.counters()});
  absl::StatusOr<NodeId> root = dag.root(0);
  for (dag::Height height = dag.HeightOf(0); height < dag::kMaxHeight; ++height) {
    root = dag::GrowRoot(edit, *root);
    REQUIRE(root.ok());
  }
  CHECK(edit.table().Find(*root)->height == dag::kMaxHeight);
  CHECK(absl::IsResourceExhausted(dag::GrowRoot(edit, *root).status()));
}

TEST_CASE("height stays within four of a fresh tree: fanout 8, few keys", "[dag][height]") {
  RunHeights(8, 200, TestSeed());
}

TEST_CASE("height stays within four of a fresh tree: fanout 8, many keys", "[dag][height]") {
  RunHeights(8, 1'500, TestSeed() + 1);
}

TEST_CASE("height stays within four of a fresh tree: fanout 16", "[dag][height]") {
  RunHeights(16, 1'000, TestSeed() + 2);
}

// What a job was found by may have gone out of memory when the job is done.
TEST_CASE("background work comes to an end however little is in memory", "[dag][height]") {
  for (size_t nodes = 1; nodes <= 12; ++nodes) {
    INFO(nodes << " nodes in memory, seed " << TestSeed());
    HeightRun run(TestSeed() + nodes, 8, 200);
    run.dag().source().KeepFew(nodes);
    run.dag().Look(0, dag::Reach::kDisk);
    for (int step = 0; step < static_cast<int>(300 * TestScale()); ++step) {
      INFO("step " << step);
      run.Step();
    }
    run.dag().Verify({});
  }
}

TEST_CASE("a tree that generations have made tall is lowered, whatever is in memory", "[dag][height]") {
  for (const std::string way : {"work", "work, nothing in memory", "a flush of all", "a flush in steps"}) {
    INFO(way);
    Random random(TestSeed());
    DagHarness dag(ShapeOf(8), true);
    RotateGenerations(dag, random, 100);
    REQUIRE(dag.HeightOf(0) > 20);
    dag.source().KeepFew(8);
    if (way == "work, nothing in memory") dag.source().SetResidence(Residence::kDisk);
    const int fresh = FreshHeight(ShapeOf(8), dag.Oracle(0));
    if (way == "a flush of all") {
      dag.FlushAll(0);
    } else if (way == "a flush in steps") {
      dag.FlushInSteps(0, Bytes{2'000});
    } else {
      dag.Settle(0);
    }
    INFO("a fresh tree has " << fresh);
    CHECK(int{dag.HeightOf(0)} <= std::max(fresh + 2 + int{dag::kLevelsBetweenClones}, int{dag::kHeightToReadFor}));
    dag.Verify({});
  }
}

TEST_CASE("clones of everything copy no more when no integer says what they hold together", "[dag][height]") {
  DagHarness dag(ShapeOf(8), false);
  for (int i = 0; i < 100; ++i) dag.Put(0, "key" + std::to_string(1'000 + i), std::string(20, 'v'));
  dag.FlushAll(0);
  for (int clone = 0; clone < 120; ++clone) {  // each of those before, too: twice as much
    const size_t before = dag.NodeCount();
    dag.Apply([&](dag::Edit& edit, std::vector<NodeId>& roots) {
      return ClonePrefix(edit, roots[0], "", roots[0], "c" + std::to_string(100 + clone) + "/");
    });
    dag.Settle(0);
    INFO("clone " << clone << ", " << before << " nodes before");
    // An integer would say it up to the 52nd. Some of the first are found to have levels too many.
    REQUIRE((clone < 45 || dag.NodeCount() <= before + dag.HeightOf(0)));
  }
  dag.VerifyInvariants();
}

TEST_CASE("erasing everything gives everything back", "[dag][height]") {
  constexpr uint64_t kCutInTheMiddle = 190'057;  // leaves that clones share get basements that were cut elsewhere
  for (const size_t fanout : {8, 16}) {
    for (const uint64_t seed : {TestSeed(), TestSeed() + 1, kCutInTheMiddle}) {
      for (const std::string way : {"at once", "by directories", "by files", "key by key", "by renames"}) {
        INFO("fanout " << fanout << ", seed " << seed << ", " << way);
        Random random(seed);
        DagHarness dag(ShapeOf(fanout), true);
        FillDirectories(dag, random);
        const Contents before = dag.Oracle(0);
        if (way == "at once") dag.EraseRange(0, Range::All());
        for (int i = 0; way == "by directories" && i < 10; ++i) {
          dag.EraseRange(0, Range::Prefix(std::to_string(i) + "/"));
          dag.Seal(0);
        }
        int count = 0;
        for (const auto& [key, value] : before) {
          if (way == "by files") {
            dag.EraseRange(0, Range::Prefix(key));
          } else if (way == "key by key") {
            dag.Erase(0, key);
          } else if (way == "by renames" && dag.Oracle(0).contains(key)) {
            dag.Rename(0, "nothing", 0, key.substr(0, 4));
          }
          if (++count % 16 == 0) {
            dag.Seal(0);
            dag.Work(0);
          }
        }
        RequireAlmostNothing(dag);
      }
    }
  }
}

}  // namespace betr::test
