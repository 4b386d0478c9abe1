// SPDX-License-Identifier: Apache-2.0
// Looks for nodes and catalogs where they may lie, without being told by a node table: for repair, when the table is
// gone. What is scattered is found by the first page of its map, which names it. What is found was once written;
// whether it is still in use must be told by who names it.
#pragma once

#include <absl/functional/function_ref.h>
#include <absl/status/status.h>

#include <cstdint>
#include <optional>
#include <string_view>

#include "device/block_device.h"
#include "layout/catalog_codec.h"
#include "layout/extent.h"
#include "layout/node_codec.h"

namespace betr::layout {

// A node whose header section has its checksum.
struct ScannedNode {
  NodeId id;
  uint64_t version = 0;
  dag::Height height = 0;
  dag::EntryCount entries = {};
  uint32_t header_units = 0;
  ExtentAddress extent;  // may be scattered
};

// What the header section of a node says of itself, if `bytes` begin with one that is intact. `start`: the unit
// where the bytes lie. Nothing if it is none, is damaged, or reaches beyond the bytes or the area.
std::optional<ScannedNode> ScanNode(uint64_t start, std::string_view bytes, const UnitRange& area);

struct ScannedCatalog {
  Catalog catalog;
  Generation generation;
};

struct ScanVisitor {
  absl::FunctionRef<void(const ScannedNode&)> node;
  absl::FunctionRef<void(const ScannedCatalog&)> catalog;
  // Units that cannot be read are passed over; and so is what begins in one and may be a node or catalog, with
  // kResourceExhausted, when too much has been read in vain.
  absl::FunctionRef<void(const ExtentAddress&, const absl::Status&)> unreadable;
};

// Reads every unit of the area, in large pieces, and calls the visitor by ascending place.
// Cost: what begins like a node or a catalog is read to the end that it says it has, so that its checksum tells whether
// it is one. That is limited: all together takes at most 15 times the reading of the area, whatever is there, and
// little more than once if nobody has made it to take long. Errors: kCancelled, if the device says so.
absl::Status ScanArea(BlockDevice& device, const UnitRange& area, const ScanVisitor& visitor);

}  // namespace betr::layout
