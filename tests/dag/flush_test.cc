// SPDX-License-Identifier: Apache-2.0
// Flushing everything in steps: nothing waits afterwards, and there are no more steps than nodes.
#include <catch2/catch.hpp>
#include <string>

#include "base/random.h"
#include "support/dag/dag_harness.h"
#include "support/seed.h"

namespace betr::test {
namespace {

size_t EdgesWithMessages(const dag::NodeTable& table) {
  size_t waiting = 0;
  table.ForEach([&](NodeId id, const dag::NodeRecord& record) {
    if (record.height > 0 && !record.Dead()) {
      const dag::NodePtr node = dag::LoadNode(table, id).value();
      for (const dag::Edge& edge : node->edges) waiting += edge.partition.Empty() ? 0 : 1;
    }
  });
  return waiting;
}

// In the blocks of all leaves, whether anyone sees them or not.
size_t EntriesKept(const dag::NodeTable& table) {
  size_t entries = 0;
  table.ForEach([&](NodeId id, const dag::NodeRecord& record) {
    if (record.height == 0 && !record.Dead()) {
      for (const dag::BlockView& basement : dag::LoadNode(table, id).value()->basements) {
        entries += basement.slot->Get().value()->Count();
      }
    }
  });
  return entries;
}

TEST_CASE("flushing everything takes from a leaf what its only edge does not show", "[dag]") {
  constexpr size_t kFirst = 10;
  constexpr size_t kRest = 95;
  DagHarness dag(SmallShape(Bytes{4'000}, Bytes{100}), false);
  const size_t other = dag.AddTree();
  for (size_t i = 0; i < kFirst + kRest; ++i) {
    dag.Put(0, (i < kFirst ? "a/" : "b/") + std::to_string(100 + i), "a value of some length");
  }
  dag.FlushAll(0);
  dag.Clone(0, "b/", other, "b/");
  dag.EraseRange(0, {Bound::At("b/"), Bound::At("c")});
  dag.FlushAll(0);
  const size_t before = EntriesKept(dag.table());
  REQUIRE(before >= kFirst + kFirst + kRest);  // the leaf that both had is the other tree's now
  dag.FlushAll(other);
  constexpr size_t kOfBasement = 5;  // at most; one that was cut may stay as it is
  CHECK(EntriesKept(dag.table()) <= before - kFirst + kOfBasement);
  dag.Verify({"a/105", "b/195"});
}

TEST_CASE("flushing in steps leaves nothing waiting", "[dag]") {
  Random random(TestSeed());
  for (const uint64_t budget : {0, 300, 2'000, 1'000'000}) {
    dag::Shape shape;
    shape.node_size = Bytes{2'000};
    shape.basement_size = Bytes{500};
    shape.fanout = 8;
    DagHarness dag(shape, true);
    constexpr int kKeys = 3'000;
    for (int i = 0; i < kKeys; ++i) {
      dag.Put(0, "key" + std::to_string(random.Uniform(100'000)), "a value of some length");
      if (i % 100 == 0) {
        dag.Seal(0);
        while (dag.Work(0).done) {
        }
      }
    }
    dag.Seal(0);
    dag.Clone(0, "key1", 0, "other/");
    REQUIRE(EdgesWithMessages(dag.table()) > 0);
    const int steps = dag.FlushInSteps(0, Bytes{budget});
    CHECK(EdgesWithMessages(dag.table()) == 0);
    CHECK(steps <= static_cast<int>(dag.NodeCount()) + 1);
    CHECK((steps == 1) == (budget == 1'000'000));
    dag.Verify({"key5"});
  }
}

}  // namespace
}  // namespace betr::test
