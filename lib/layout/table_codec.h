// SPDX-License-Identifier: Apache-2.0
// The node table on disk. A page that was stored stays stored until it changes, and a changed page is a new page
// (dag/table.h). So writing a table costs what changed since the last time, plus the path to the root.
//
// A TablePage's `stored` belongs to this file: it owns the page's extent. The extents of nodes are owned by their
// slots. So whoever keeps a table keeps all the space that the table uses.
#pragma once

#include <absl/status/statusor.h>

#include <cstdint>
#include <functional>
#include <memory>

#include "dag/table.h"
#include "device/block_device.h"
#include "layout/extent.h"
#include "layout/space_map.h"

namespace betr::layout {

// Where a node is stored.
struct NodeAddress {
  ExtentRef extent;
  uint32_t header_units = 0;
  uint64_t version = 0;
};

// Says where the node of a record is stored. The address of a slot is constant once it has one.
using AddressOfNode = std::function<absl::StatusOr<NodeAddress>(NodeId, const dag::NodeRecord&)>;

struct WrittenTable {
  TableAddress address;
  uint64_t pages = 0;  // written this time
};

// Writes the pages that are not stored yet, children first, adjacent as far as space allows. Marks them stored once all
// of them are written. Durable after the next Flush. On an error nothing is marked. Used by one thread at a time.
// Meanwhile the table may be read and copied, and copies changed. Errors: kResourceExhausted, the device's, those of
// `address_of`.
absl::StatusOr<WrittenTable> WriteTable(BlockDevice& device, SpaceMap& space, Generation generation,
                                        const dag::NodeTable& table, const AddressOfNode& address_of);

using MakeNodeSlot = std::function<std::shared_ptr<const dag::NodeSlot>(NodeId, NodeAddress, dag::Height)>;

// Reads the whole table and claims every extent that it uses. All of its pages count as stored. Errors: the device's;
// kDataLoss if a page is damaged or not the one that was named, if extents overlap or lie outside, or if the number of
// nodes is not what the address says.
absl::StatusOr<dag::NodeTable> ReadTable(BlockDevice& device, SpaceMap& space, const TableAddress& address,
                                         const MakeNodeSlot& make_slot);

// Where the page is stored; nowhere if it is not.
StructureAddress StoredAddress(const dag::TablePage& page);

}  // namespace betr::layout
