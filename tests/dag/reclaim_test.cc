// SPDX-License-Identifier: Apache-2.0
// Taking dead nodes out, interrupted after every step.
#include "dag/change/reclaim.h"

#include <catch2/catch.hpp>
#include <string>

#include "support/dag/dag_harness.h"

namespace betr::test {
namespace {

void Fill(DagHarness& dag) {
  for (int i = 0; i < 1'000; ++i) {
    dag.Put(0, (i % 2 == 0 ? "a/" : "b/") + std::to_string(10'000 + i), "some value");
    if (i % 50 == 0) {
      dag.Seal(0);
      dag.Work(0);
    }
  }
  dag.Clone(0, "a/", 0, "c/");
  dag.Clone(0, "a/101", 0, "b/");
  dag.Seal(0);
}

}  // namespace

TEST_CASE("reclaim can be interrupted after every step and goes on from the marks in the table", "[dag][reclaim]") {
  DagHarness dag(SmallShape(Bytes{300}), false);
  Fill(dag);
  dag.Snapshot(0);
  dag.EraseRange(0, Range::All());
  dag.Seal(0);
  dag.Verify({});
  const size_t before = dag.NodeCount();
  dag.DropSnapshot(0);
  REQUIRE(dag.NodeCount() == before);
  size_t steps = 0;
  do {
    // All that survives an interruption is the table.
    dag.RelearnDead();
    dag.Verify({});
    ++steps;
  } while (dag.ReclaimOne());
  REQUIRE(dag.NodeCount() == 1);
  REQUIRE(steps == before);
}

TEST_CASE("a node that others name survives the death of its parents", "[dag][reclaim]") {
  DagHarness dag(SmallShape(Bytes{300}), false);
  Fill(dag);
  const size_t other = dag.AddTree();
  dag.Clone(0, "a/", other, "kept/");
  dag.EraseRange(0, Range::All());
  dag.Seal(0);
  while (dag.ReclaimOne()) {
    dag.RelearnDead();
    dag.Verify({});
  }
  REQUIRE(dag.Oracle(other).size() == 500);
}

TEST_CASE("erases of a part of a leaf each move on when they are as many as the leaves", "[dag][reclaim]") {
  DagHarness dag(SmallShape(Bytes{4096}, Bytes{512}), false);
  const auto key = [](int number) { return std::to_string(10'000 + number); };
  for (int i = 0; i < 800; ++i) dag.Put(0, key(i), std::string(80, 'v'));
  dag.FlushAll(0);
  dag.Settle(0);
  REQUIRE(dag.HeightOf(0) == 2);
  const size_t before = dag.NodeCount();
  for (int i = 0; i < 800; i += 20) dag.EraseRange(0, {Bound::At(key(i)), Bound::At(key(i + 18))});
  dag.Seal(0);
  dag.Settle(0);
  while (dag.ReclaimOne()) {
  }
  INFO(before << " nodes before");
  CHECK(dag.NodeCount() < before * 2 / 3);
  dag.Verify({});
}

TEST_CASE("reclaim reads interior nodes once and leaves never", "[dag][reclaim]") {
  DagHarness dag(SmallShape(Bytes{300}), false);
  Fill(dag);
  dag.FlushAll(0);
  while (dag.ReclaimOne()) {
  }
  dag.EraseRange(0, Range::All());
  dag.Seal(0);
  uint64_t interior = 0;
  dag.table().ForEach([&](NodeId, const dag::NodeRecord& record) { interior += record.height > 0; });
  dag.source().ResetReads();
  while (dag.ReclaimOne()) {
  }
  REQUIRE(dag.source().reads().Nodes() <= interior);
  REQUIRE(dag.source().reads().nodes[0] == 0);
  REQUIRE(dag.source().reads().blocks == 0);
}

TEST_CASE("a failed read leaves a dead node for the next attempt", "[dag][reclaim]") {
  DagHarness dag(SmallShape(Bytes{300}), false);
  Fill(dag);
  dag.InjectFaults();
  dag.EraseRange(0, Range::All());
  dag.Seal(0);
  while (dag.ReclaimOne()) {
  }
  dag.Verify({});
  REQUIRE(dag.NodeCount() == 1);
}

}  // namespace betr::test
