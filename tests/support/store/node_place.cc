// SPDX-License-Identifier: Apache-2.0
#include "support/store/node_place.h"

#include "store/offline/inspect.h"
#include "store/slots.h"
#include "support/must.h"

namespace betr::test {
namespace {

constexpr Bytes kCache = MiB(4);

}  // namespace

NodeId NodeOnTheWay(BlockDevice& image, TreeId tree, const std::string& key, int height) {
  const auto look = Must(store::Inspection::Open(image, kCache));
  NodeId node = look->state()->trees.Find(tree)->root;
  std::string local = key;
  while (look->state()->table.Find(node)->height > height) {
    const dag::NodePtr content = Must(dag::LoadNode(look->state()->table, node));
    const dag::Link& link = content->edges[content->EdgeOf(local)].link;
    REQUIRE_FALSE(link.Null());
    local = link.Map(Bound::At(local)).bytes;
    node = link.target;
  }
  return node;
}

NodePlace PlaceOf(BlockDevice& image, NodeId node) {
  const auto look = Must(store::Inspection::Open(image, kCache));
  const auto slot = look->state()->table.Find(node)->slot;
  const auto address = *dynamic_cast<const store::NodeVersion&>(*slot).Address();
  const layout::ExtentAddress extent = address.extent->address();
  return {extent.Offset(), extent.Offset() + layout::UnitBytes(address.header_units), extent.Offset() + extent.Size()};
}

}  // namespace betr::test
