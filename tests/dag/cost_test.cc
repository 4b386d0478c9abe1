// SPDX-License-Identifier: Apache-2.0
// What range operations cost, by counts: O(height) nodes and no leaf, whatever the size of the range.
#include <catch2/catch.hpp>
#include <string>

#include "base/random.h"
#include "dag/change/job.h"
#include "support/dag/dag_harness.h"
#include "support/seed.h"

namespace betr::test {
namespace {

std::string Key(int i) { return std::string(1, static_cast<char>('a' + i % 3)) + "/" + std::to_string(1'000'000 + i); }

// `count` keys in the directories a, b and c; everything at the leaves, nothing in memory but what has to be.
std::unique_ptr<DagHarness> Tree(int count) {
  dag::Shape shape;
  shape.node_size = Bytes{2'000};
  shape.basement_size = Bytes{500};
  shape.fanout = 8;
  auto dag = std::make_unique<DagHarness>(shape, true);
  for (int i = 0; i < count; ++i) {
    dag->Put(0, Key(i), "a value of some length");
    if (i % 100 == 0) {
      dag->Seal(0);
      while (dag->Work(0).done) {
      }
    }
  }
  dag->FlushAll(0);
  while (dag->ReclaimOne()) {
  }
  dag->source().SetResidence(Residence::kDisk);
  return dag;
}

// Runs one operation and holds it to its promise.
template <class Operation>
void RequireCheap(DagHarness& dag, std::string_view name, Operation operation) {
  INFO(name << ", " << dag.NodeCount() << " nodes, height " << int{dag.HeightOf(0)});
  const uint64_t height = dag.HeightOf(0);
  const uint64_t created = dag.counters().nodes_created;
  const uint64_t touched = dag.counters().nodes_touched;
  dag.source().ResetReads();
  operation();
  const TestSource::Reads& reads = dag.source().reads();
  REQUIRE(reads.nodes[0] == 0);
  // A walk down, and for a rename also the erase at the root; each root may be read for each of the messages.
  REQUIRE(reads.Nodes() <= 2 * height + 4);
  REQUIRE(dag.counters().nodes_touched - touched <= height + 4);
  REQUIRE(dag.counters().nodes_created - created <= 4);
  REQUIRE(dag.HeightOf(0) <= height + 1);
}

}  // namespace

TEST_CASE("clone, rename and erase of a prefix touch O(height) nodes and no leaf", "[dag][cost]") {
  for (const int count : {100, 1'000, 10'000, 60'000}) {
    const std::unique_ptr<DagHarness> dag = Tree(count);
    RequireCheap(*dag, "clone", [&] { dag->Clone(0, "a/", 0, "d/"); });
    RequireCheap(*dag, "clone of a part", [&] { dag->Clone(0, "b/10000", 0, "e/"); });
    RequireCheap(*dag, "clone into a clone", [&] { dag->Clone(0, "b/", 0, "d/sub/"); });
    RequireCheap(*dag, "rename", [&] { dag->Rename(0, "c/", 0, "f/"); });
    RequireCheap(*dag, "range erase", [&] {
      dag->EraseRange(0, Range::Prefix("f/"));
      dag->Seal(0);
    });
    dag->source().SetResidence(Residence::kMemory);
    dag->Verify({});
  }
}

TEST_CASE("what is pending above the source moves down without a leaf being read", "[dag][cost]") {
  for (const int count : {1'000, 10'000, 60'000}) {
    const std::unique_ptr<DagHarness> dag = Tree(count);
    Random random(TestSeed());
    for (int round = 0; round < 10; ++round) {
      for (int i = 0; i < 5; ++i) {
        dag->Put(0, Key(static_cast<int>(random.Uniform(static_cast<uint64_t>(count)))), "newer");
      }
      dag->Seal(0);
      const uint64_t height = dag->HeightOf(0);
      dag->source().ResetReads();
      dag->Clone(0, "b/", 0, "copy of b/" + std::to_string(round) + "/");
      // Each push starts from the root again, since it makes new versions along the way.
      REQUIRE(dag->source().reads().nodes[0] == 0);
      REQUIRE(dag->source().reads().Nodes() <= (height + 2) * (height + 2));
    }
    dag->source().SetResidence(Residence::kMemory);
    dag->Verify({});
  }
}

TEST_CASE("putting messages into a tree reads nothing but the root", "[dag][cost]") {
  const std::unique_ptr<DagHarness> dag = Tree(10'000);
  dag->source().ResetReads();
  for (int i = 0; i < 1'000; ++i) {
    dag->Put(0, Key(i * 7), "newer");
    dag->Append(0, Key(i * 5), "more");
  }
  dag->EraseRange(0, {Bound::At("a/1000"), Bound::At("b/1005")});
  dag->Seal(0);
  REQUIRE(dag->source().reads().Nodes() == 1);
  REQUIRE(dag->source().reads().nodes[dag->HeightOf(0)] == 1);
}

TEST_CASE("whether clones that lie beside each other hide anything is asked once", "[dag][cost]") {
  const std::unique_ptr<DagHarness> dag = Tree(60'000);
  dag->source().SetResidence(Residence::kMemory);
  uint64_t clones = 0;
  const auto peeks_with = [&](uint64_t count) {
    for (; clones < count; ++clones) dag->Clone(0, "a/10001", 0, "x/" + std::to_string(100 + clones) + "/");
    dag->Apply([&](dag::Edit& edit, std::vector<NodeId>& roots) {
      const dag::NodePtr root = *edit.Load(roots[0]);
      REQUIRE(root->height > 2);
      REQUIRE(root->edges.back().partition.gotos.size() == count);
      dag->source().ResetReads();
      dag::FindJob(edit, roots[0], *root, {dag::Sharing::kKeep, dag::Reach::kMemory}, dag::Effort::kFrugal);
      return absl::OkStatus();
    });
    return dag->source().reads().peeks;
  };
  const uint64_t with_few = peeks_with(10);
  CHECK(peeks_with(40) == with_few);
}

}  // namespace betr::test
