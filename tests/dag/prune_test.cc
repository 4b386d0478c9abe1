// SPDX-License-Identifier: Apache-2.0
// What no path shows of shared nodes is dropped, and nothing else is.
#include "dag/change/prune.h"

#include <catch2/catch.hpp>
#include <string>
#include <utility>
#include <vector>

#include "dag/change/heal.h"
#include "support/dag/dag_harness.h"

namespace betr::test {
namespace {

std::string KeyOf(int number) { return std::to_string(10'000 + number); }

void WriteAll(DagHarness& dag, const std::string& value) {
  for (int i = 0; i < 2'000; ++i) {
    dag.Put(0, KeyOf(i), value);
    if (i % 20 == 0) {
      dag.Seal(0);
      dag.Work(0);
    }
  }
  dag.FlushAll(0);
}

void Reclaim(DagHarness& dag) {
  while (dag.ReclaimOne()) {
  }
}

// An interior node all of whose edges lead to one leaf, or nowhere where that is no node.
struct Part {
  Range range;
  NodeId child;
};
dag::Node Interior(dag::Edit& edit, const std::vector<Part>& parts) {
  const Range bounds{parts.front().range.lo, parts.back().range.hi};
  dag::Node node = dag::EmptyNode(edit.table().Find(parts.back().child)->height + 1, bounds, {});
  node.edges.clear();
  for (const Part& part : parts) {
    edit.Retain(part.child);
    node.edges.push_back({{part.range, part.child, ""}, {}});
  }
  return node;
}

}  // namespace

TEST_CASE("what several narrow clones leave of a node is found by a pass over all", "[dag][prune]") {
  DagHarness dag(SmallShape(), false);
  WriteAll(dag, "old");
  const size_t alone = dag.NodeCount();
  // Narrow parts of the tree, under two names each, so that no node they share is ever private.
  for (const std::string prefix : {"1001", "1051", "1101", "1151"}) {
    dag.Clone(0, prefix, 0, "first/" + prefix);
    dag.Clone(0, prefix, 0, "second/" + prefix);
  }
  dag.FlushAll(0);
  WriteAll(dag, "new");
  dag.Settle(0);
  Reclaim(dag);
  const size_t before = dag.NodeCount();
  while (!dag.PruneStep()) {
  }
  Reclaim(dag);
  dag.Verify({KeyOf(15), "first/100115", "second/115105"});
  INFO("nodes of the tree alone " << alone << ", with clones " << before << ", after the pass " << dag.NodeCount());
  CHECK(dag.NodeCount() < before);
  // The tree, and the eight clones of ten entries.
  CHECK(dag.NodeCount() < alone + 8 * 8);
}

TEST_CASE("a pass that others work beside drops nothing that is shown", "[dag][prune]") {
  DagHarness dag(SmallShape(), false);
  WriteAll(dag, "old");
  dag.Snapshot(0);
  dag.Clone(0, "10", 0, "copy/");
  for (int i = 0; !dag.PruneStep(); ++i) {
    dag.Put(0, KeyOf(i % 2'000), "new");
    dag.Clone(0, "100", 0, "later/" + std::to_string(i));
    dag.Seal(0);
    dag.Work(0);
    dag.Verify({KeyOf(i % 2'000)});
  }
  Reclaim(dag);
  dag.Verify({KeyOf(0)});
}

TEST_CASE("a pass does not drop what a merge shows again", "[dag][prune]") {
  DagHarness dag(SmallShape(), false);
  for (const std::string key : {"a", "n", "y"}) dag.Put(0, key, "value");
  dag.FlushAll(0);
  const Bound m = Bound::At("m");
  const Bound x = Bound::At("x");
  const Range first{Range::All().lo, m};
  const Range second{m, x};
  const Range third{x, Range::All().hi};
  dag.Apply([&](dag::Edit& edit, std::vector<NodeId>& roots) {
    const NodeId leaf = (*edit.Load(roots[0]))->edges[0].link.target;
    // The second part of `before` is not shown, but it is what `beside` shows.
    const NodeId last = edit.Create(Interior(edit, {{first, leaf}, {{m, Range::All().hi}, leaf}}));
    const NodeId before = edit.Create(Interior(edit, {{first, leaf}, {second, leaf}}));
    const NodeId beside = edit.Create(Interior(edit, {{second, leaf}}));
    const NodeId root = edit.Create(Interior(edit, {{first, before}, {second, beside}, {third, last}}));
    edit.Release(before);
    edit.Release(beside);  // and `last` stays shared, so that it is not merged, too
    edit.Release(std::exchange(roots[0], root));
    return absl::OkStatus();
  });
  dag.VerifyContents();
  REQUIRE(!dag.PruneStep());  // ends with a change of `last`
  dag.Apply([&](dag::Edit& edit, std::vector<NodeId>& roots) {
    dag::Node root = **edit.Load(roots[0]);
    const absl::Status healed = dag::Heal(edit, root, {});
    REQUIRE(root.edges.size() == 2);
    edit.Update(roots[0], std::move(root));
    return healed;
  });
  dag.VerifyContents();
  while (!dag.PruneStep()) {
  }
  dag.VerifyContents();
}

TEST_CASE("of a tree without clones a pass drops nothing", "[dag][prune]") {
  DagHarness dag(SmallShape(), false);
  WriteAll(dag, "value");
  dag.Settle(0);
  const size_t before = dag.NodeCount();
  while (!dag.PruneStep()) {
  }
  Reclaim(dag);
  CHECK(dag.NodeCount() == before);
  dag.Verify({KeyOf(3)});
}

}  // namespace betr::test
