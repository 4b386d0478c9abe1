// SPDX-License-Identifier: Apache-2.0
// The map of a scattered extent lists where its pieces are, in a chain of pages of one unit each. The pieces lie
// wherever there is free space. So a node can be written whenever enough units are free, wherever they are.
//
// One page, 4096 bytes, integers little-endian:
//   offset 0    8  magic "betrSCAT"
//          8    8  checksum of bytes 16 to 4095
//         16    2  format version (1)          18  2  zeros      20  4  number of pieces on this page
//         24    8  id of the node; 0: the catalog
//         32    8  write version of the node; checksum of the catalog
//         40    8  unit of the next page; 0: there is none
//         48   16  zeros
//         64  ...  pieces of 12 bytes: 8 first unit, 4 units; then zeros
//
// Invariants
//   1. All pages of a map name the same owner, so that a stale page is not taken for the right one.
//   2. No page is without a piece; together the pieces have the units of the extent.
#pragma once

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "device/block_device.h"
#include "layout/extent.h"

namespace betr::layout {

// Whose extent it is. The map repeats what whoever refers to the extent says of it.
struct ExtentOwner {
  uint64_t node = 0;     // 0: the catalog
  uint64_t version = 0;  // write version; the catalog's checksum

  friend bool operator==(const ExtentOwner&, const ExtentOwner&) = default;
};

struct MapPage {
  ExtentOwner owner;
  uint64_t next = 0;  // unit; 0: none
  std::vector<ExtentAddress> pieces;

  friend bool operator==(const MapPage&, const MapPage&) = default;
};

inline constexpr std::string_view kMapMagic = "betrSCAT";
inline constexpr size_t kPiecesPerPage = 336;

// The most pages that the map of an extent of so many units can have.
constexpr uint32_t MaxMapPages(uint32_t units) {
  return units < 2 ? 0 : static_cast<uint32_t>((units + kPiecesPerPage - 1) / kPiecesPerPage);
}

// Exactly one unit. Requires: 1 to kPiecesPerPage pieces.
std::string EncodeMapPage(const MapPage& page);
// Requires: bytes.size() == kUnit. Errors: kDataLoss naming the page, the byte and what is wrong.
absl::StatusOr<MapPage> DecodeMapPage(uint64_t unit, const ExtentOwner& owner, std::string_view bytes);

struct ExtentMap {
  std::vector<ExtentAddress> pieces;  // in the order of the extent's bytes
  std::vector<ExtentAddress> pages;
};

// Whose page it is, if `bytes` are a page of a map. Requires: bytes.size() == kUnit.
std::optional<ExtentOwner> OwnerOfMapPage(uint64_t unit, std::string_view bytes);

// Reads the pieces one after another, from the beginning of the first, until `out` is full. Errors: the device's.
// Requires: the pieces have that many bytes.
absl::Status ReadPieces(BlockDevice& device, std::span<const ExtentAddress> pieces, std::span<char> out);

// Reads a whole map. Errors: kDataLoss, the device's. Requires: scattered.
absl::StatusOr<ExtentMap> ReadExtentMap(BlockDevice& device, const UnitRange& area, const ExtentAddress& extent,
                                        const ExtentOwner& owner);

}  // namespace betr::layout
