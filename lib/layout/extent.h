// SPDX-License-Identifier: Apache-2.0
// Places on the device. All space beyond the superblocks and the log is handed out in extents of whole units. A
// reference to a structure also carries the structure's checksum or, for nodes, its write version. So a structure that
// is intact but stale or misplaced is found out.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "base/units.h"

namespace betr::layout {

// The unit of space, and the bytes of so many of them.
inline constexpr Bytes kUnit = KiB(4);
constexpr Bytes UnitBytes(uint64_t units) { return kUnit * units; }
constexpr uint64_t UnitsFor(Bytes size) { return size.value / kUnit.value + (size.value % kUnit.value != 0 ? 1 : 0); }

// No extent is larger: 1 GiB. Bounds what a damaged address can make us read.
inline constexpr uint32_t kMaxExtentUnits = 1 << 18;
// No device has more units: 2^60 bytes. Keeps arithmetic on damaged addresses from overflowing.
inline constexpr uint64_t kMaxDeviceUnits = uint64_t{1} << 48;

// An extent is one piece of consecutive units, or *scattered*: several pieces, which a map lists (extent_map.h).
// Because extents may be scattered, any unit is as good as any other: of free space only the amount matters.
struct ExtentAddress {
  uint64_t start = 0;      // in units from the beginning of the device; if scattered, the first page of the map
  uint32_t units = 0;      // 0: nowhere; without those of the map
  bool scattered = false;  // stored as the highest bit of the units

  friend bool operator==(const ExtentAddress&, const ExtentAddress&) = default;

  bool Nowhere() const { return units == 0; }
  // Not for scattered ones:
  uint64_t end() const { return start + units; }
  Bytes Offset() const { return UnitBytes(start); }
  Bytes Size() const { return UnitBytes(units); }
};

// Consecutive units, however many: areas and free space.
struct UnitRange {
  uint64_t start = 0;
  uint64_t units = 0;

  friend bool operator==(const UnitRange&, const UnitRange&) = default;

  uint64_t end() const { return start + units; }
  // Of a scattered extent only the first page of its map is compared.
  bool Covers(const ExtentAddress& extent) const {
    const uint32_t units_there = extent.scattered ? 1 : extent.units;
    return extent.start >= start && extent.start <= end() && units_there <= end() - extent.start;
  }
};

// The units of an extent as they are stored: the highest bit marks scattered ones. And back.
inline constexpr uint32_t kScatteredMark = uint32_t{1} << 31;
constexpr uint32_t MarkedUnits(const ExtentAddress& extent) {
  return extent.units | (extent.scattered ? kScatteredMark : 0);
}
constexpr ExtentAddress FromMarked(uint64_t start, uint32_t marked) {
  return {start, marked & ~kScatteredMark, (marked & kScatteredMark) != 0};
}

// Where a checksummed structure of one extent is. `checksum` is the one stored in the structure.
struct StructureAddress {
  ExtentAddress extent;
  uint64_t checksum = 0;

  friend bool operator==(const StructureAddress&, const StructureAddress&) = default;
};

// Where the two copies of the catalog are. They are equal byte by byte. Nowhere: there are no trees, and the rest is 0.
struct CatalogAddress {
  std::array<ExtentAddress, 2> copies;  // of as many units
  uint64_t checksum = 0;

  friend bool operator==(const CatalogAddress&, const CatalogAddress&) = default;

  bool Nowhere() const { return copies[0].Nowhere(); }
};

// Where the node table is: its root page. Nowhere: the table is empty, and the rest is 0.
struct TableAddress {
  StructureAddress root;
  uint8_t level = 0;   // of the root page
  uint64_t nodes = 0;  // in the whole table

  friend bool operator==(const TableAddress&, const TableAddress&) = default;
};

// "extent of 3 units at unit 17": for messages.
std::string ToString(const ExtentAddress& extent);

}  // namespace betr::layout
