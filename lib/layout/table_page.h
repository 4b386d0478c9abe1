// SPDX-License-Identifier: Apache-2.0
// Pages of the node table as bytes. They mirror dag::TablePage: one page in memory is one unit on disk. A page names
// its children by place and checksum. So from the superblock down every page is the very one that was written.
//
// One page, 4096 bytes, integers little-endian:
//   offset 0    8  magic "betrPAGE"
//          8    8  checksum of bytes 16 to 4095
//         16    2  format version (1)
//         18    1  level: 0 holds nodes, others hold pages of the next lower level
//         19    1  number of entries
//         20    4  zeros
//         24    8  first id: that of entry 0
//         32    8  generation of the checkpoint that wrote the page
//         40   24  zeros
//         64  ...  entries of 32 bytes, by ascending index, then zeros
// Entry at level 0: node id = first id + index
//          0    1  index      1  1  height      2  2  entries    4  4  references (0: waits to be reclaimed)
//          8    8  first unit of the extent, or of the map of a scattered one (extent_map.h)
//         16    4  its units; highest bit: scattered             20  4  units of the header section
//         24    8  write version
// Entry above level 0: first id of the child = first id + index * 64^level
//          0    1  index      1  7  zeros       8  8  unit of the child page
//         16    8  checksum of the child page                    24  8  zeros
#pragma once

#include <absl/status/statusor.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/units.h"
#include "dag/table.h"
#include "layout/extent.h"

namespace betr::layout {

struct NodeEntry {
  uint8_t index = 0;
  dag::Height height = 0;
  uint32_t references = 0;
  ExtentAddress extent;
  uint32_t header_units = 0;
  uint64_t version = 0;
  dag::EntryCount entries = {};  // what the node says

  friend bool operator==(const NodeEntry&, const NodeEntry&) = default;
};

struct PageEntry {
  uint8_t index = 0;
  StructureAddress page;

  friend bool operator==(const PageEntry&, const PageEntry&) = default;
};

struct PageImage {
  uint8_t level = 0;
  uint64_t first_id = 0;
  Generation generation;
  std::vector<NodeEntry> nodes;  // level 0
  std::vector<PageEntry> pages;  // above

  friend bool operator==(const PageImage&, const PageImage&) = default;
};

// Exactly one unit. Requires: at least one entry; indexes ascend and are below 64.
std::string EncodePage(const PageImage& page);

// What whoever names a page expects of it.
struct ExpectedPage {
  StructureAddress address;
  uint8_t level = 0;
  uint64_t first_id = 0;
};

// Requires: bytes.size() == kUnit. Errors: kDataLoss naming the page, the byte and what is wrong.
absl::StatusOr<PageImage> DecodePage(const ExpectedPage& expected, std::string_view bytes);

// Where a page's children begin: first_id + index * 64^level.
uint64_t FirstIdOfChild(const PageImage& page, uint8_t index);

}  // namespace betr::layout
