// SPDX-License-Identifier: Apache-2.0
// What dag/storable.h counts of a node's bounds is what is stored of them.
#include <catch2/catch.hpp>
#include <memory>
#include <string>

#include "base/coding.h"
#include "dag/storable.h"
#include "layout/node_codec.h"
#include "support/dag/memory_source.h"
#include "support/layout/random_node.h"
#include "support/seed.h"

namespace betr::layout {
namespace {

constexpr size_t kBodySizeAt = 48;  // in a header section (node_codec.h)
constexpr size_t kLonger = 300;

Bytes BodySize(const dag::Node& node) {
  const auto fetch = [](const BlockUse& use) {
    return MakeStoredBlock(DefaultCodec(Compression::kLz4), *use.slot->Peek());
  };
  const auto image = EncodeNode(NodeId{1}, 1, node, fetch);
  REQUIRE(image.ok());
  return {LoadFixed<uint32_t>(image->bytes.data() + kBodySizeAt)};
}

TEST_CASE("the bounds of a node are counted as they are stored", "[layout]") {
  Random random(TestSeed());
  for (int i = 0; i < 500 * TestScale(); ++i) {
    const dag::Node node = RandomNode(random, static_cast<dag::Height>(random.Uniform(4)));
    const dag::Node longer = dag::Prepend(node, std::string(kLonger, 'p'));
    const Bytes counted = dag::BoundSizesOf(longer).together - dag::BoundSizesOf(node).together;
    const Bytes stored = BodySize(longer) - BodySize(node);
    REQUIRE(counted > Bytes{0});
    CHECK(stored >= counted);
    CHECK(stored <= counted + counted * 3 / kLonger);  // and the sizes of strings; of an affix, both
    CHECK(dag::BoundSizesOf(longer).longest >= Bytes{kLonger});
  }
}

// An edge that shows all of a child, whose keys begin with `prefix`.
dag::Link LinkBelow(const std::string& prefix) { return {Range::All(), NodeId{1}, prefix}; }

TEST_CASE("what an edge hands on to its child is limited", "[layout]") {
  Random random(TestSeed());
  const std::string prefix(KiB(200).value, 'p');
  for (int i = 0; i < 50 * TestScale(); ++i) {
    const dag::Node node = RandomNode(random, static_cast<dag::Height>(random.Uniform(4)));
    const dag::Node once = dag::Prepend(node, prefix);
    CHECK_FALSE(dag::GetsTooLong(LinkBelow(""), once));
    CHECK_FALSE(dag::GetsTooLong(LinkBelow(prefix), once));
    CHECK_FALSE(dag::GetsTooLong(LinkBelow(""), dag::Prepend(once, prefix)));
    CHECK(dag::GetsTooLong(LinkBelow(prefix + prefix), dag::Prepend(once, prefix)));
  }
}

TEST_CASE("what an edge hands on to all that its child has is limited together, as far as the edge shows it",
          "[layout]") {
  const std::string prefix(KiB(100).value, 'p');
  dag::Node node = dag::EmptyNode(1, Range::Prefix(prefix), {});
  node.edges.clear();
  Range left = node.bounds;
  for (int i = 0; i < 1000; ++i) {
    left.hi = i < 999 ? Bound::At(prefix + std::to_string(1000 + i)) : node.bounds.hi;
    node.edges.push_back({dag::Link{left, NodeId{2}, ""}, {}});
    left.lo = left.hi;
  }
  CHECK(dag::GetsTooLong(LinkBelow(prefix), node));
  CHECK_FALSE(dag::GetsTooLong(LinkBelow(prefix + "100"), node));
}

// A root with that many long bounds, and runs that have those of their edges. `size`: of a bound.
dag::Node WithLongBounds(int edges, int runs, Bytes size) {
  dag::BlockBuilder builder;
  builder.Add("key", {dag::MessageKind::kPut, 0, "value"});
  const auto block = std::make_shared<dag::ResidentBlock>(builder.Finish());
  dag::Node node = dag::EmptyNode(1, Range::All(), {});
  node.edges.clear();
  Range left = node.bounds;
  for (int i = 0; i < edges; ++i) {
    left.hi = i + 1 < edges ? Bound::At(std::to_string(1000 + i) + std::string(size.value, 'b')) : node.bounds.hi;
    dag::Edge edge{dag::Link{left, NodeId{2}, ""}, {}};
    for (int run = 0; run < runs; ++run) edge.partition.runs.push_back({block, {}, left});
    node.edges.push_back(std::move(edge));
    left.lo = left.hi;
  }
  return node;
}

absl::StatusOr<NodeImage> Encode(const dag::Node& node) {
  const auto fetch = [](const BlockUse& use) {
    return MakeStoredBlock(DefaultCodec(Compression::kLz4), *use.slot->Peek());
  };
  return EncodeNode(NodeId{1}, 1, node, fetch);
}

TEST_CASE("a node with long bounds that is written can be read", "[layout]") {
  const dag::Node node = WithLongBounds(36, 8, KiB(500));
  const auto image = Encode(node);
  REQUIRE(image.ok());
  const Bytes header = UnitBytes(image->header_units);
  const auto make_slot = [&](const BlockEntry&) { return node.edges[0].partition.runs[0].slot; };
  const auto read = DecodeNode(NodeId{1}, 1, std::string_view(image->bytes).substr(0, header.value),
                               {image->bytes.size()}, make_slot);
  INFO(read.status());
  REQUIRE(read.ok());
  CHECK((*read == node));
}

TEST_CASE("a node that could not be read is not written", "[layout]") {
  const absl::Status refused = Encode(WithLongBounds(2, 500, KiB(500))).status();
  INFO(refused);
  CHECK(absl::IsInternal(refused));
}

}  // namespace
}  // namespace betr::layout
