// SPDX-License-Identifier: Apache-2.0
// Space: what is written between clones of one source is stored a few times, and not by each clone that comes after it.
#include <algorithm>
#include <catch2/catch.hpp>
#include <iostream>
#include <string>

#include "base/random.h"
#include "support/dag/dag_harness.h"
#include "support/seed.h"

namespace betr::test {
namespace {

constexpr int kKeys = 4'000;
constexpr int kTimes = 60;
constexpr size_t kValue = 100;

dag::Shape ShapeOf(size_t fanout) {
  dag::Shape shape;
  shape.node_size = Bytes{8'192};
  shape.basement_size = Bytes{1'024};
  shape.fanout = fanout;
  return shape;
}

std::string Key(std::string_view directory, uint64_t number) {
  return std::string(directory) + std::to_string(100'000 + number);
}

// What all nodes hold, and of that what waits in interior nodes.
struct Held {
  Bytes all{0};
  Bytes waits{0};
};

Held HeldBy(const DagHarness& dag) {
  Held held;
  dag.table().ForEach([&](NodeId, const dag::NodeRecord& record) {
    const dag::NodePtr node = record.Dead() ? nullptr : record.slot->Peek();
    if (node != nullptr) {
      held.all += node->Size();
      held.waits += node->Leaf() ? Bytes{0} : node->Size();
    }
  });
  return held;
}

enum class Kept { kClones, kSnapshots };

// A directory of which a clone, or a snapshot, is made again and again, with `changes` of its keys written between two.
void RequireFewCopies(Kept kept, size_t fanout, uint64_t changes) {
  const std::string what = kept == Kept::kClones ? "clones" : "snapshots";
  INFO("fanout " << fanout << ", " << changes << " changes between two " << what << ", seed " << TestSeed());
  Random random(TestSeed());
  DagHarness dag(ShapeOf(fanout), true);
  for (int i = 0; i < kKeys; ++i) {
    dag.Put(0, Key("live/", static_cast<uint64_t>(i)), std::string(kValue, 'a'));
    if (i % 50 == 0) dag.Settle(0);
  }
  dag.Settle(0);
  const Held before = HeldBy(dag);
  Bytes written{0};
  for (int clone = 0; clone < kTimes; ++clone) {
    if (kept == Kept::kSnapshots) {
      dag.Snapshot(0);
    } else {
      dag.Clone(0, "live/", 0, Key("copies/", static_cast<uint64_t>(clone)) + "/");
    }
    for (uint64_t i = 0; i < changes; ++i) {
      const std::string key = Key("live/", random.Uniform(kKeys));
      dag.Put(0, key, std::string(kValue, static_cast<char>('b' + clone % 20)));
      written += Bytes{key.size() + kValue};
    }
    dag.Settle(0);
  }
  dag.Verify({});
  const Held after = HeldBy(dag);
  std::cout << "fanout " << fanout << ", " << kTimes << " " << what << ", " << changes
            << " changes between two: " << (after.all - before.all).value / written.value << " times what was written, "
            << (after.waits - before.waits).value / written.value << " times in interior nodes, height "
            << int{dag.HeightOf(0)} << "\n";
  CHECK(after.all - before.all <= written * 10);
}

// A file as a file system has it: some blocks under a name. To write it anew is to erase them all first.
void PutFile(DagHarness& dag, const std::string& name, char content) {
  for (const char block : {'0', '1', '2'}) dag.Put(0, name + "/" + block, std::string(kValue, content));
}

// Backups that rotate: each generation is a clone of the one before with some files written anew, and the oldest goes.
void RequireLittleBesideWhatDiffers(uint64_t changes) {
  constexpr int kKept = 14;
  constexpr int kRounds = 100;
  constexpr uint64_t kFiles = kKeys / 3;
  INFO(changes << " changes a generation, seed " << TestSeed());
  Random random(TestSeed());
  DagHarness dag(ShapeOf(16), true);
  const auto name = [](int generation) { return Key("g", static_cast<uint64_t>(generation)) + "/"; };
  for (uint64_t i = 0; i < kFiles; ++i) {
    PutFile(dag, Key(name(0), i), 'a');
    if (i % 20 == 0) dag.Settle(0);
  }
  dag.Settle(0);
  const Bytes file = Bytes{Key(name(0), 0).size() + 2 + kValue} * 3;
  const Bytes differs = file * (kFiles + kKept * changes);
  Bytes most{0};
  for (int generation = 1; generation < kRounds; ++generation) {
    dag.Clone(0, name(generation - 1), 0, name(generation));
    for (uint64_t i = 0; i < changes; ++i) {
      const std::string changed = Key(name(generation), random.Uniform(kFiles));
      dag.EraseRange(0, Range::Prefix(changed + "/"));
      PutFile(dag, changed, static_cast<char>('b' + i % 20));
    }
    if (generation >= kKept) dag.EraseRange(0, Range::Prefix(name(generation - kKept)));
    dag.Settle(0);
    most = std::max(most, HeldBy(dag).all);
  }
  dag.Verify({});
  const double times = static_cast<double>(most.value) / static_cast<double>(differs.value);
  std::cout << kKept << " generations with " << changes << " changes each: at most " << times
            << " times what differs, height " << int{dag.HeightOf(0)} << "\n";
  CHECK(times <= 3);
}

}  // namespace

TEST_CASE("generations that rotate take little beside what differs", "[dag][clone]") {
  for (const uint64_t changes : {2, 13, 60}) RequireLittleBesideWhatDiffers(changes);
}

TEST_CASE("what is written between clones is stored a few times", "[dag][clone]") {
  for (const size_t fanout : {8, 16}) {
    for (const uint64_t changes : {1, 5, 20}) RequireFewCopies(Kept::kClones, fanout, changes);
  }
}

TEST_CASE("what is written between snapshots is stored a few times", "[dag][clone]") {
  for (const size_t fanout : {8, 16}) {
    for (const uint64_t changes : {1, 5, 20}) RequireFewCopies(Kept::kSnapshots, fanout, changes);
  }
}

}  // namespace betr::test
