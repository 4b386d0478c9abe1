// SPDX-License-Identifier: Apache-2.0
// What the experiments do, by counts, each beside what is done without it (docs/ablations.md). That trees say the same
// with them is for random_test.cc to find out.
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "dag/change/copy_at_once.h"
#include "dag/change/eager_goto.h"
#include "dag/change/split_by_size.h"
#include "support/dag/dag_harness.h"

namespace betr::test {
namespace {

// A tree of some height with the directories a, b and c, all of it at the leaves.
class Prepared : public DagHarness {
 public:
  explicit Prepared(const dag::Policy& policy) : DagHarness(SmallShape(), false, policy) {
    for (const char* prefix : {"a/", "b/", "c/"}) {
      for (int i = 0; i < 400; ++i) Put(0, prefix + std::to_string(1000 + i), "the value of " + std::to_string(i));
    }
    FlushAll(0);
    while (ReclaimOne()) {
    }
    REQUIRE(HeightOf(0) >= 3);
  }

  // Clones and range erases that wait in nodes.
  size_t Pending() const {
    size_t pending = 0;
    table().ForEach([&](NodeId id, const dag::NodeRecord& record) {
      if (!record.Dead() && record.height > 0) {
        for (const dag::Edge& edge : (*dag::LoadNode(table(), id))->edges) pending += edge.partition.gotos.size();
      }
    });
    return pending;
  }

  std::vector<size_t> PivotSizes() const {
    std::vector<size_t> sizes;
    table().ForEach([&](NodeId id, const dag::NodeRecord& record) {
      if (record.height > 0) {
        const dag::NodePtr node = *dag::LoadNode(table(), id);
        for (size_t i = 1; i < node->edges.size(); ++i) sizes.push_back(node->edges[i].link.range.lo.bytes.size());
      }
    });
    return sizes;
  }
};

dag::Policy Eager() {
  dag::Policy policy;
  policy.after_goto = dag::DriveDown;
  return policy;
}

dag::Policy AtOnce() {
  dag::Policy policy;
  policy.flush_at_once = dag::HeaviestOverShared;
  return policy;
}

}  // namespace

TEST_CASE("eager: nothing of a clone or a rename is pending when it returns", "[dag][ablation]") {
  Prepared usual(dag::kUsualPolicy);
  Prepared eager(Eager());
  for (DagHarness* dag : {static_cast<DagHarness*>(&usual), static_cast<DagHarness*>(&eager)}) {
    dag->Clone(0, "a/12", 0, "b/2");
    dag->Rename(0, "c/111", 0, "c/333/");
    dag->Rename(0, "b/11", 0, "b/");
    dag->Rename(0, "a/", 0, "d/");
    dag->Verify({"b/20", "c/333/1", "d/1200"});
  }
  CHECK(usual.Pending() > 0);
  CHECK(eager.Pending() == 0);
  CHECK(eager.counters().nodes_touched > usual.counters().nodes_touched);
  eager.Settle(0);
  eager.Verify({});
}

TEST_CASE("eager: the cost is that of the height, not of the size", "[dag][ablation]") {
  Prepared dag(Eager());
  const uint64_t height = dag.HeightOf(0);
  const size_t nodes = dag.NodeCount();
  const uint64_t created = dag.counters().nodes_created;
  dag.source().SetResidence(Residence::kDisk);
  dag.source().ResetReads();
  dag.Rename(0, "b/", 0, "z/");
  // Two ways down for the source's ends, one for the goto, and walks from the root.
  CHECK(dag.source().reads().Nodes() <= 8 * (height + 2));
  CHECK(dag.source().reads().nodes[0] <= 4);
  CHECK(dag.counters().nodes_created - created <= 6 * (height + 2));
  CHECK(nodes > 8 * (height + 2));
  dag.source().SetResidence(Residence::kMemory);
  CHECK(dag.Pending() == 0);
  dag.Verify({});
}

TEST_CASE("copy at once: one message copies a whole path of shared nodes", "[dag][ablation]") {
  Prepared usual(dag::kUsualPolicy);
  Prepared at_once(AtOnce());
  for (DagHarness* dag : {static_cast<DagHarness*>(&usual), static_cast<DagHarness*>(&at_once)}) {
    dag->Clone(0, "a/", 0, "d/");
    dag->Settle(0);
    const uint64_t before = dag->counters().unshares;
    dag->Put(0, "d/1200", "new");
    dag->Seal(0);
    const bool copies = dag == &at_once;
    dag->Settle(0);
    INFO((copies ? "at once" : "usual"));
    CHECK((dag->counters().unshares > before) == copies);
    dag->Verify({"a/1200", "d/1200"});
  }
  // The leaf of the key is private now: the next message waits as messages do.
  const uint64_t before = at_once.counters().unshares;
  at_once.Put(0, "d/1200", "newer");
  at_once.Seal(0);
  at_once.Settle(0);
  CHECK(at_once.counters().unshares == before);
  at_once.Verify({"d/1200"});
}

TEST_CASE("split by size: the place nearest the centre, whatever its bound", "[dag][ablation]") {
  const std::vector<Bound> bounds = {Bound::At("file1"), Bound::At("f"), Bound::At("file123"), Bound::At("file4567")};
  const std::vector<dag::SplitPlace> places = {
      {1, &bounds[0], 10}, {2, &bounds[1], 30}, {3, &bounds[2], 52}, {4, &bounds[3], 90}};
  CHECK(dag::NearestCentre(places, 100).item == 3);
  CHECK(dag::ShortestSeparator(places, 100).item == 2);
  // Nothing in the middle half: both take what is nearest.
  const std::vector<dag::SplitPlace> uneven = {{1, &bounds[3], 5}, {2, &bounds[1], 2000}};
  CHECK(dag::NearestCentre(uneven, 3000).item == 2);
  CHECK(dag::ShortestSeparator(uneven, 3000).item == 2);
}

TEST_CASE("split by size: pivots are longer", "[dag][ablation]") {
  dag::Policy policy;
  policy.split = dag::NearestCentre;
  const auto mean = [](const std::vector<size_t>& sizes) {
    size_t sum = 0;
    for (const size_t size : sizes) sum += size;
    return static_cast<double>(sum) / static_cast<double>(sizes.size());
  };
  const Prepared usual(dag::kUsualPolicy);
  const Prepared by_size(policy);
  CHECK(mean(by_size.PivotSizes()) > mean(usual.PivotSizes()));
  by_size.Verify({"a/1000", "c/1399"});
}

}  // namespace betr::test
