// SPDX-License-Identifier: Apache-2.0
// Erases of keys move on to leaves that are not in memory, when that is worth it; and how it is known.
#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <string>

#include "base/random.h"
#include "dag/entry_count.h"
#include "support/dag/dag_harness.h"
#include "support/seed.h"

namespace betr::test {
namespace {

constexpr int kKeys = 1'600;

std::string Key(int number) { return std::to_string(10'000 + number); }

// Leaves that have left memory.
void Fill(DagHarness& dag, size_t value_size = 80) {
  for (int i = 0; i < kKeys; ++i) dag.Put(0, Key(i), std::string(value_size, 'v'));
  dag.FlushAll(0);
  dag.Settle(0);
  dag.source().KeepFew(8);
}

// Lets every `step`-th key be erased, and brings the erases to nodes above the leaves.
void EraseEvery(DagHarness& dag, int step) {
  for (int i = 0; i < kKeys; i += step) {
    dag.Erase(0, Key(i));
    if (i % 100 == 0) {
      dag.Seal(0);
      dag.Settle(0);
    }
  }
  dag.Seal(0);
  dag.Settle(0);
}

size_t Nodes(const DagHarness& dag, dag::Height height) {
  size_t nodes = 0;
  dag.table().ForEach(
      [&](NodeId, const dag::NodeRecord& record) { nodes += record.height == height && !record.Dead(); });
  return nodes;
}

size_t Leaves(const DagHarness& dag) { return Nodes(dag, 0); }

}  // namespace

TEST_CASE("a queue does not keep the leaves that its consumer has emptied", "[dag][erases]") {
  DagHarness dag(SmallShape(Bytes{4096}, Bytes{512}), false);
  Fill(dag);
  const size_t before = Leaves(dag);
  for (int i = 0; i < 3 * kKeys; ++i) {
    dag.Erase(0, Key(i));
    dag.Put(0, Key(i + kKeys), std::string(80, 'w'));
    if (i % 10 == 0) {
      dag.Seal(0);
      dag.Settle(0);
    }
  }
  INFO(before << " leaves before");
  CHECK(Leaves(dag) < before * 3 / 2);
  dag.Verify({Key(0), Key(4 * kKeys - 1)});
}

TEST_CASE("a queue of values that are much larger than erases keeps to its size", "[dag][erases]") {
  constexpr int kWindow = 100;
  const size_t in_memory = GENERATE(1, 4, 1'000);
  DagHarness dag(SmallShape(Bytes{16'384}, Bytes{4096}), false);
  dag.source().KeepFew(in_memory);
  size_t first = 0;
  size_t most = 0;
  for (int i = 0; i < 16 * kWindow; ++i) {
    dag.Put(0, Key(i), std::string(4'000, 'v'));
    if (i >= kWindow) dag.Erase(0, Key(i - kWindow));
    if (i % 10 == 0) {
      dag.Seal(0);
      dag.Settle(0);
      first = i < kWindow ? Leaves(dag) : first;
      most = std::max(most, Leaves(dag));
    }
  }
  INFO(first << " leaves for one window, nodes in memory: " << in_memory);
  CHECK(most <= first * 3);
  dag.Verify({Key(0), Key(16 * kWindow - 1)});
}

TEST_CASE("erases that are few wait, and no leaf is read for them", "[dag][erases]") {
  DagHarness dag(SmallShape(Bytes{4096}, Bytes{512}), false);
  Fill(dag);
  dag.source().ResetReads();
  const uint64_t before = dag.counters().flushes_by_height[1];
  EraseEvery(dag, 40);
  CHECK(dag.source().reads().nodes[0] == 0);
  CHECK(dag.counters().flushes_by_height[1] == before);
  dag.Verify({Key(0)});
}

TEST_CASE("what shows nothing goes, though it was shared when the erases came by", "[dag][erases]") {
  DagHarness dag(SmallShape(Bytes{4096}, Bytes{512}), false);
  Fill(dag);
  dag.Clone(0, "", 0, "clone/");
  dag.FlushAll(0);
  const int kRange = GENERATE(1, 7, 30);
  INFO("ranges of " << kRange);
  for (int i = 0; i < kKeys; i += kRange) {
    dag.EraseRange(0, {Bound::At("clone/" + Key(i)), Bound::Past("clone/" + Key(i + kRange - 1))});
    dag.Seal(0);
    dag.Settle(0);
  }
  dag.source().KeepFew(1);
  dag.EraseRange(0, {Bound::At(""), Bound::At("c")});
  dag.Seal(0);
  dag.Look(0, dag::Reach::kDisk);
  dag.Settle(0);
  CHECK(Leaves(dag) == 0);
  dag.Verify({Key(0)});
}

TEST_CASE("the table says about how many entries are below a node", "[dag][erases]") {
  DagHarness dag(SmallShape(Bytes{4096}, Bytes{512}), false);
  Fill(dag);
  std::map<dag::Height, uint64_t> entries;
  dag.table().ForEach([&](NodeId, const dag::NodeRecord& record) {
    entries[record.height] += record.Dead() ? 0 : record.entries.Value();
  });
  REQUIRE(entries.size() > 2);
  for (const auto& [height, count] : entries) {
    INFO("height " << int{height});
    CHECK(count == kKeys);
  }
  dag.Clone(0, "", 0, "clone/");
  dag.FlushAll(0);
  CHECK(dag.table().Find(dag.root(0))->entries.Value() < 2 * kKeys);  // what is shared is counted once
}

TEST_CASE("counts of entries are rounded up by little", "[dag][erases]") {
  Random random(TestSeed());
  CHECK_FALSE(dag::EntryCount().Known());
  CHECK(dag::EntryCount::Of(0).Value() == 1);
  for (int i = 0; i < 1'000; ++i) {
    const uint64_t count = 1 + random.Skewed(41);
    const dag::EntryCount known = dag::EntryCount::Of(count);
    INFO(count);
    CHECK(known.Known());
    CHECK(known.Value() >= count);
    CHECK(known.Value() - count <= count / 500);
    CHECK(dag::EntryCount::Of(known.Value()) == known);
  }
  CHECK(dag::EntryCount::Of(UINT64_MAX).Value() == uint64_t{2047} << 31);
}

}  // namespace betr::test
