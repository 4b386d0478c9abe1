// SPDX-License-Identifier: Apache-2.0
// A scrub finds what is damaged, wherever the pieces of it lie, and says so of nothing else.
#include "store/offline/scrub.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "layout/extent_io.h"
#include "store/slots.h"
#include "support/damage/scattered.h"
#include "support/device/bad_sectors.h"
#include "support/must.h"

namespace betr::test {
namespace {

constexpr Bytes kCache = MiB(4);

struct StoredNode {
  NodeId id;
  layout::NodeAddress address;
};

// Nodes with blocks, some of them.
std::vector<StoredNode> SomeNodes(BlockDevice& device) {
  constexpr size_t kMost = 12;
  std::vector<StoredNode> nodes;
  const auto look = Must(store::Inspection::Open(device, kCache));
  look->state()->table.ForEach([&](NodeId id, const dag::NodeRecord& record) {
    const auto address = dynamic_cast<const store::NodeVersion&>(*record.slot).Address();
    const bool has_blocks = address->extent->address().units > address->header_units;
    if (!record.Dead() && has_blocks && nodes.size() < kMost) nodes.push_back({id, *address});
  });
  REQUIRE(nodes.size() > 3);
  return nodes;
}

// Of the nodes that are told.
std::vector<NodeId> Scrub(BlockDevice& device) {
  std::vector<NodeId> told;
  const auto look = Must(store::Inspection::Open(device, kCache));
  Must(store::ScrubStore(*look, [&](const store::Finding& finding) {
    CHECK(finding.kind == "unreadable");
    told.push_back(finding.node);
  }));
  return told;
}

TEST_CASE("a scrub finds a damaged block, in one piece or scattered", "[damage][scrub]") {
  const bool is_scattered = GENERATE(false, true);
  const Subject subject = is_scattered ? ScatteredStore() : ClosedStore();
  MemoryDevice device(subject.size, subject.image);
  REQUIRE(Scrub(device).empty());
  for (const StoredNode& node : SomeNodes(device)) {
    INFO("node " << node.id.value);
    CHECK(node.address.extent->address().scattered == is_scattered);
    const Bytes first_block = layout::UnitBytes(node.address.header_units);
    std::string unit(layout::kUnit.value, '\0');
    Must(layout::ReadExtent(device, *node.address.extent, first_block, unit));
    ++unit[0];
    Must(layout::WriteExtent(device, *node.address.extent, first_block, unit));
    CHECK(Scrub(device) == std::vector<NodeId>{node.id});
    --unit[0];
    Must(layout::WriteExtent(device, *node.address.extent, first_block, unit));
  }
}

TEST_CASE("a place that cannot be read is told of what lies there alone", "[damage][scrub]") {
  const Subject subject = ClosedStore();
  MemoryDevice memory(subject.size, subject.image);
  for (const StoredNode& node : SomeNodes(memory)) {
    BadSectors device(memory);
    device.Spoil(node.address.extent->address().Offset(), layout::kUnit);
    CHECK(Scrub(device) == std::vector<NodeId>{node.id});
  }
}

}  // namespace
}  // namespace betr::test
