// SPDX-License-Identifier: Apache-2.0
// What ranges of a node use of its blocks.
#include "dag/node_use.h"

#include <catch2/catch.hpp>
#include <initializer_list>
#include <string>

#include "support/dag/memory_source.h"

namespace betr::test {
namespace {

// Ten entries of the same size.
dag::BlockView TenEntries(dag::MemorySource& source, const std::string& prefix) {
  dag::BlockBuilder builder;
  for (int i = 0; i < 10; ++i) {
    builder.Add(prefix + std::to_string(i), {dag::MessageKind::kPut, 0, std::string(100, 'x')});
  }
  return dag::BlockView::Whole(source.Adopt(builder.Finish()), Range::Prefix(prefix));
}

dag::RangeSet RangesOf(std::initializer_list<std::string> prefixes) {
  dag::RangeSet ranges;
  for (const std::string& prefix : prefixes) ranges.Add(Range::Prefix(prefix));
  return ranges;
}

void CheckUse(const dag::Node& node, const dag::RangeSet& inside, const dag::RangeSet& outside, Bytes expected_inside,
              Bytes expected_common) {
  const absl::StatusOr<dag::NodeUse> use = dag::UseOf(node, inside, outside);
  REQUIRE(use.ok());
  CHECK(use->inside == expected_inside);
  CHECK(use->common == expected_common);
}

}  // namespace

TEST_CASE("a part of a block counts by its share of the entries that are shown", "[dag][footprint]") {
  dag::MemorySource source;
  dag::Node leaf;
  leaf.basements.push_back(TenEntries(source, "a/").Cut({{"a/2", false}, {"a/6", false}}));
  const Bytes size = leaf.basements[0].Size();
  CHECK(dag::UseOf(leaf, {}, {})->all == size);
  CheckUse(leaf, RangesOf({"a/"}), {}, size, Bytes{0});
  CheckUse(leaf, RangesOf({"a/"}), RangesOf({""}), size, size);
  CheckUse(leaf, RangesOf({"a/3"}), RangesOf({"b/"}), Bytes{size.value / 4}, Bytes{0});
  CheckUse(leaf, RangesOf({"a/1", "a/2", "a/3"}), RangesOf({"a/3", "a/4", "a/5"}), Bytes{size.value * 2 / 4},
           Bytes{size.value / 4});
  CheckUse(leaf, RangesOf({"b/"}), RangesOf({"a/"}), Bytes{0}, Bytes{0});
}

TEST_CASE("a block that several edges show counts once, and is used by all of them", "[dag][footprint]") {
  dag::MemorySource source;
  dag::Node root;
  root.height = 1;
  root.edges.resize(2);
  const dag::BlockView original = TenEntries(source, "tree/");
  root.edges[0].partition.runs.push_back(original.Replace("tree/", "copy/"));
  root.edges[1].partition.runs.push_back(original);
  const Bytes size = original.Size();
  CHECK(dag::UseOf(root, {}, {})->all == size);
  CheckUse(root, RangesOf({"copy/"}), RangesOf({"tree/"}), size, size);
  CheckUse(root, RangesOf({"copy/", "tree/"}), {}, size, Bytes{0});
  CheckUse(root, RangesOf({"copy/"}), RangesOf({"tree/3", "tree/4"}), size, Bytes{size.value * 2 / 10});
  CheckUse(root, RangesOf({"copy/3", "tree/4"}), RangesOf({"copy/4"}), Bytes{size.value * 2 / 10},
           Bytes{size.value / 10});
}

}  // namespace betr::test
