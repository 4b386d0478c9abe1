// SPDX-License-Identifier: Apache-2.0
// Looks for nodes and catalogs wherever they may lie, without a node table: for repair, when the table is gone. What is
// scattered is found by the first page of its map, which names its owner. What is found was written once. Whether it is
// still in use depends on who names it.
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

// What the header section of a node says of itself, if `bytes` begin with one that is intact. `start` is the unit where
// the bytes lie. Nothing if they begin with none, if it is damaged, or if it reaches beyond the bytes or the area.
std::optional<ScannedNode> ScanNode(uint64_t start, std::string_view bytes, const UnitRange& area);

struct ScannedCatalog {
  Catalog catalog;
  Generation generation;
};

struct ScanVisitor {
  absl::FunctionRef<void(const ScannedNode&)> node;
  absl::FunctionRef<void(const ScannedCatalog&)> catalog;
  // Is called with units that cannot be read and are passed over. Is also called, with kResourceExhausted, with what
  // may be a node or a catalog but is passed over because too much has been read in vain.
  absl::FunctionRef<void(const ExtentAddress&, const absl::Status&)> unreadable;
};

// Reads every unit of the area, in large pieces, and calls the visitor by ascending place. Cost: what begins like a
// node or a catalog is read to the end that it says it has, so that its checksum tells whether it is one. All together
// takes at most 15 times as long as reading the area, whatever is there. It takes little longer than reading it once,
// unless somebody has filled the area so as to make it slow. Errors: kCancelled, if the device says so.
absl::Status ScanArea(BlockDevice& device, const UnitRange& area, const ScanVisitor& visitor);

}  // namespace betr::layout
