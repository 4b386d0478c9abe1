// SPDX-License-Identifier: Apache-2.0
#include "dag/read/estimate.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <string>

#include "base/random.h"
#include "support/dag/dag_harness.h"
#include "support/dag/prefix_ops.h"
#include "support/seed.h"

namespace betr::test {
namespace {

std::string Key(int i) { return std::to_string(i % 7) + "/" + std::to_string(1'000'000 + i); }

// `count` keys in the directories 0 to 6, at the leaves.
std::unique_ptr<DagHarness> Tree(int count) {
  dag::Shape shape;
  shape.node_size = Bytes{1'000};
  shape.basement_size = Bytes{250};
  shape.fanout = 8;
  auto dag = std::make_unique<DagHarness>(shape, true);
  for (int i = 0; i < count; ++i) {
    dag->Put(0, Key(i), std::string(static_cast<size_t>(i % 50), 'v'));
    if (i % 100 == 0) {
      dag->Seal(0);
      while (dag->Work(0).done) {
      }
    }
  }
  dag->FlushAll(0);
  return dag;
}

struct Truth {
  uint64_t keys = 0;
  uint64_t bytes = 0;
};

Truth Count(const DagHarness& dag, const Range& range) {
  Truth truth;
  for (const auto& [key, value] : dag.Oracle(0)) {
    if (range.Contains(key)) {
      ++truth.keys;
      truth.bytes += key.size() + value.size();
    }
  }
  return truth;
}

void RequireNear(uint64_t estimate, uint64_t truth, double factor) {
  REQUIRE(static_cast<double>(estimate) <= static_cast<double>(truth) * factor);
  REQUIRE(static_cast<double>(estimate) * factor >= static_cast<double>(truth));
}

RangeEstimate EstimateOf(const DagHarness& dag, const Range& range) {
  const absl::StatusOr<RangeEstimate> estimate = dag::Estimate(dag.table(), dag.root(0), range);
  REQUIRE(estimate.ok());
  return *estimate;
}

}  // namespace

TEST_CASE("a small tree without pending messages is estimated exactly", "[dag][estimate]") {
  const std::unique_ptr<DagHarness> dag = Tree(500);
  for (const Range& range : {Range::All(), Range::Prefix("3/"), Range{Bound::At("2/10001"), Bound::Past("4/10003")},
                             Range::Prefix("nothing")}) {
    const RangeEstimate estimate = EstimateOf(*dag, range);
    const Truth truth = Count(*dag, range);
    REQUIRE(estimate.exact);
    REQUIRE(estimate.keys == truth.keys);
    if (truth.keys > 0) RequireNear(estimate.bytes.value, truth.bytes, 1.2);
    REQUIRE(estimate.shared == Bytes{0});
  }
  REQUIRE(EstimateOf(*dag, {Bound::At("b"), Bound::At("a")}).keys == 0);
}

TEST_CASE("an estimate of a large tree looks at few nodes and no block", "[dag][estimate]") {
  const std::unique_ptr<DagHarness> dag = Tree(40'000);
  dag->source().SetResidence(Residence::kDisk);
  for (const Range& range : {Range::All(), Range::Prefix("3/"), Range{Bound::At("2/1001"), Bound::Past("4/103")}}) {
    dag->source().ResetReads();
    const RangeEstimate estimate = EstimateOf(*dag, range);
    REQUIRE(dag->source().reads().Nodes() <= dag::kEstimateNodes);
    REQUIRE(dag->source().reads().blocks == 0);
    REQUIRE_FALSE(estimate.exact);
    const Truth truth = Count(*dag, range);
    // The upper levels are a sample of eight nodes; and what nodes have in common of their keys is not counted.
    RequireNear(estimate.keys, truth.keys, 1.5);
    RequireNear(estimate.bytes.value, truth.bytes, 1.7);
  }
  const auto never = [](const dag::TreeContent&) { return false; };
  const auto reach_for = [&](dag::Reach reach) {
    return dag::EstimateTree(dag->table(), dag->root(0), reach, Bytes{500}, never);
  };
  REQUIRE_FALSE(reach_for(dag::Reach::kMemory).has_value());
  dag->source().ResetReads();
  const std::optional<dag::TreeContent> guessed = reach_for(dag::Reach::kDisk);
  REQUIRE(guessed.has_value());
  REQUIRE(dag->source().reads().nodes[0] == 0);
  // Half-filled leaves, or up to full ones.
  RequireNear(static_cast<uint64_t>(guessed->bytes), EstimateOf(*dag, Range::All()).bytes.value, 2.5);
}

TEST_CASE("an estimate says what is shared, follows gotos and leaves out what is erased", "[dag][estimate]") {
  const std::unique_ptr<DagHarness> dag = Tree(2'000);
  const uint64_t in_one = Count(*dag, Range::Prefix("3/")).keys;
  dag->Clone(0, "3/", 0, "copy/");
  RequireNear(EstimateOf(*dag, Range::Prefix("copy/")).keys, in_one, 1.3);
  const RangeEstimate source = EstimateOf(*dag, Range::Prefix("3/"));
  REQUIRE(source.shared.value > source.bytes.value / 2);
  REQUIRE(EstimateOf(*dag, Range::Prefix("6/")).shared <= EstimateOf(*dag, Range::Prefix("6/")).bytes);
  dag->EraseRange(0, Range::Prefix("copy/"));
  dag->Seal(0);
  REQUIRE(EstimateOf(*dag, Range::Prefix("copy/")).keys == 0);
}

TEST_CASE("an estimate counts what clones share for each of them, however unlike the edges are", "[dag][estimate]") {
  const std::unique_ptr<DagHarness> dag = Tree(3'000);
  Random random(TestSeed());
  for (int clone = 0; clone < 20; ++clone) {
    const std::string name = "c" + std::to_string(100 + clone) + "/";
    dag->Clone(0, std::to_string(clone % 7) + "/", 0, name);
    for (int i = 0; i < 20; ++i) {  // each leaves edges that show next to nothing
      const std::string key = name + std::to_string(1'000'000 + random.Uniform(3'000));
      dag->EraseRange(0, Range::Prefix(key));
      dag->Put(0, key, "changed");
    }
    dag->FlushAll(0);
  }
  const auto never = [](const dag::TreeContent&) { return false; };
  const auto estimate = dag::EstimateTree(dag->table(), dag->root(0), dag::Reach::kMemory, Bytes{500}, never);
  REQUIRE(estimate.has_value());
  const Truth truth = Count(*dag, Range::All());
  RequireNear(static_cast<uint64_t>(estimate->keys), truth.keys, 1.5);
  RequireNear(static_cast<uint64_t>(estimate->bytes), truth.bytes, 1.7);
}

TEST_CASE("what is more than a number can say is estimated as very much", "[dag][estimate]") {
  const std::unique_ptr<DagHarness> dag = Tree(500);
  uint64_t before = EstimateOf(*dag, Range::All()).keys;
  for (int clone = 0; clone < 80; ++clone) {  // each of everything, those before included: twice as much
    dag->Apply([&](dag::Edit& edit, std::vector<NodeId>& roots) {
      return ClonePrefix(edit, roots[0], "", roots[0], "c" + std::to_string(100 + clone) + "/");
    });
    const RangeEstimate now = EstimateOf(*dag, Range::All());
    CAPTURE(clone);
    REQUIRE(now.keys >= before);
    REQUIRE(now.bytes.value >= now.keys);
    REQUIRE(now.shared <= now.bytes);
    before = now.keys;
  }
  const RangeEstimate all = EstimateOf(*dag, Range::All());
  REQUIRE(all.keys == dag::kMostEstimatedKeys);
  REQUIRE(all.bytes == dag::kMostEstimatedBytes);
  REQUIRE_FALSE(all.exact);
  const auto never = [](const dag::TreeContent&) { return false; };
  const auto content = dag::EstimateTree(dag->table(), dag->root(0), dag::Reach::kDisk, Bytes{500}, never);
  REQUIRE(content->keys > std::ldexp(500, 78));
  REQUIRE(content->keys < std::ldexp(500, 82));
}

TEST_CASE("messages on their way count, and make an estimate inexact", "[dag][estimate]") {
  const std::unique_ptr<DagHarness> dag = Tree(500);
  dag->Put(0, "3/new", "value");
  dag->Seal(0);
  const RangeEstimate estimate = EstimateOf(*dag, Range::Prefix("3/"));
  REQUIRE_FALSE(estimate.exact);
  REQUIRE(estimate.keys == Count(*dag, Range::Prefix("3/")).keys);
  REQUIRE(EstimateOf(*dag, Range::Prefix("5/")).exact);
}

TEST_CASE("an estimate hands on what the source says", "[dag][estimate]") {
  const std::unique_ptr<DagHarness> dag = Tree(500);
  dag->source().FailAfter(3);
  REQUIRE(absl::IsUnavailable(dag::Estimate(dag->table(), dag->root(0), Range::All()).status()));
}

}  // namespace betr::test
