// SPDX-License-Identifier: Apache-2.0
// The catalog lists the trees and snapshots of an image, and the upsert functions that it was written with. A
// checkpoint that finds it changed writes it anew, twice, in two places: without it nobody knows where trees begin.
//
// Integers little-endian; a string is varint size, bytes:
//   offset 0    8  magic "betrCATA"
//          8    8  checksum of byte 16 to the end of the extent
//         16    2  format version (1)           18  6  zeros
//         24    4  units of the extent          28  4  size of the body
//         32    8  generation of the checkpoint that wrote it
//         40   24  zeros
//         64  ...  body, then zeros
// Body:
//   varint trees, each, by ascending id: varint id, string name, varint root node, u8 compression, u8 its level,
//                                        u8 flags: 1 snapshot
//   varint functions, each, by ascending number: varint number, string name
#pragma once

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/compression.h"
#include "base/units.h"
#include "device/block_device.h"
#include "layout/extent.h"
#include "layout/space_map.h"

namespace betr::layout {

inline constexpr std::string_view kCatalogMagic = "betrCATA";

struct CatalogTree {
  TreeId id;
  std::string name;  // 1 to 255 bytes
  NodeId root;
  Codec codec;
  bool snapshot = false;

  friend bool operator==(const CatalogTree&, const CatalogTree&) = default;
};

struct Catalog {
  std::vector<CatalogTree> trees;             // by ascending id; ids and names differ
  std::map<uint16_t, std::string> functions;  // upsert functions: number -> name of 1 to 64 bytes

  friend bool operator==(const Catalog&, const Catalog&) = default;
};

// Checks what the comments above promise. Errors: kDataLoss naming the tree or function.
absl::Status CheckCatalog(const Catalog& catalog);

// The stored form, in whole units. Requires: CheckCatalog is ok.
std::string EncodeCatalog(const Catalog& catalog, Generation generation);

// The inverse. Errors: kDataLoss naming the byte and what is wrong.
absl::StatusOr<Catalog> DecodeCatalog(std::string_view bytes);

struct StoredCatalog {
  Catalog catalog;
  CatalogAddress address;
  std::array<ExtentRef, 2> extents;    // keep the space; null if the copy's map cannot be read
  std::array<absl::Status, 2> copies;  // why one cannot be read

  // Whether there is a catalog on disk and both copies can be read. If so, it need not be written again.
  bool Sound() const { return !address.Nowhere() && copies[0].ok() && copies[1].ok(); }
};

// Writes both copies, into new extents. Durable after the next Flush. Errors: kInternal if the catalog breaks its
// promises; kResourceExhausted; the device's.
absl::StatusOr<StoredCatalog> WriteCatalog(BlockDevice& device, SpaceMap& space, Generation generation,
                                           Catalog catalog);

// Reads both copies and claims their extents. One good copy is enough. If the address is nowhere, returns an empty
// catalog. Errors, if no copy is good: those of the first, kDataLoss or the device's.
absl::StatusOr<StoredCatalog> ReadCatalog(BlockDevice& device, SpaceMap& space, const CatalogAddress& address);

}  // namespace betr::layout
