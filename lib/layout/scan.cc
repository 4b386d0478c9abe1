// SPDX-License-Identifier: Apache-2.0
#include "layout/scan.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "base/coding.h"
#include "base/status.h"
#include "device/forwarding_device.h"
#include "layout/extent_map.h"
#include "layout/node_format.h"
#include "layout/seal.h"
#include "layout/search.h"

namespace betr::layout {
namespace {

// Offsets of fields in nodes and catalogs (node_codec.h, catalog_codec.h).
constexpr size_t kFormatVersionAt = 16;
constexpr size_t kHeightAt = 18;
constexpr size_t kIdAt = 24;
constexpr size_t kVersionAt = 32;
constexpr size_t kHeaderUnitsAt = 40;
constexpr size_t kExtentUnitsAt = 44;
constexpr size_t kBodySizeAt = 48;
constexpr size_t kEntriesAt = 52;
constexpr size_t kCatalogUnitsAt = 24;
constexpr size_t kCatalogBodySizeAt = 28;
constexpr size_t kCatalogGenerationAt = 32;

// Returns what the fixed part of a header section says. Its checksum has not been checked yet. Nothing if no node can
// say that.
std::optional<ScannedNode> FixedPartIn(std::string_view bytes) {
  if (bytes.size() < kFixedSize || !bytes.starts_with(kNodeMagic) ||
      !IsNodeVersion(LoadFixed<uint16_t>(bytes.data() + kFormatVersionAt))) {
    return std::nullopt;
  }
  ScannedNode node;
  node.id.value = LoadFixed<uint64_t>(bytes.data() + kIdAt);
  node.version = LoadFixed<uint64_t>(bytes.data() + kVersionAt);
  node.height = static_cast<uint8_t>(bytes[kHeightAt]);
  node.entries = dag::EntryCount::FromCode(LoadFixed<uint16_t>(bytes.data() + kEntriesAt));
  node.header_units = LoadFixed<uint32_t>(bytes.data() + kHeaderUnitsAt);
  node.extent.units = LoadFixed<uint32_t>(bytes.data() + kExtentUnitsAt);
  const Bytes size{kFixedSize + uint64_t{LoadFixed<uint32_t>(bytes.data() + kBodySizeAt)}};
  const bool fits = node.header_units == UnitsFor(size) && node.header_units <= kMaxHeaderUnits &&
                    node.header_units <= node.extent.units && node.extent.units <= kMaxExtentUnits;
  return fits && node.id != kNoNode && node.height <= dag::kMaxHeight ? std::optional(node) : std::nullopt;
}

// Returns what a header section says, if it is intact. Where the extent starts is not known here.
std::optional<ScannedNode> NodeIn(std::string_view bytes) {
  std::optional<ScannedNode> node = FixedPartIn(bytes);
  if (!node || UnitBytes(node->header_units).value > bytes.size()) return std::nullopt;
  const std::string_view header = bytes.substr(0, UnitBytes(node->header_units).value);
  return CheckSeal("header", kNodeMagic, header).ok() ? node : std::nullopt;
}

// Returns how many units a catalog has that begins with these bytes. Its checksum has not been checked yet. 0 if no
// catalog begins so.
uint32_t CatalogUnitsIn(std::string_view bytes) {
  const auto units = LoadFixed<uint32_t>(bytes.data() + kCatalogUnitsAt);
  const Bytes size{kFixedSize + uint64_t{LoadFixed<uint32_t>(bytes.data() + kCatalogBodySizeAt)}};
  return bytes.starts_with(kCatalogMagic) && units == UnitsFor(size) && units <= kMaxExtentUnits ? units : 0;
}

// Limits how many units are read and checked beyond looking once at each unit. A unit that looks like the beginning of
// a structure may claim any size, and only the checksum of all of it shows whether that is true. Each such candidate
// has a few units of its own, enough for the header section of nearly any node. For more there is a stock that all
// share. Intact structures do not overlap, so they take no more than the area once. The rest of the stock is for false
// claims.
class Ration {
 public:
  explicit Ration(uint64_t area_units) : shared_(kSharedTimes * area_units) {}

  void BeginCandidate() {
    own_ = kOwnUnits;
    is_short_ = false;
  }
  // Takes units for the current candidate. False if not so many are left, and then always until the next candidate.
  bool Take(uint64_t units) {
    const uint64_t own = std::min(own_, units);
    if (is_short_ || units - own > shared_) {
      is_short_ = true;
      return false;
    }
    own_ -= own;
    shared_ -= units - own;
    return true;
  }
  bool IsShort() const { return is_short_; }

 private:
  static constexpr uint64_t kOwnUnits = 8;
  static constexpr uint64_t kSharedTimes = 4;

  uint64_t shared_;
  uint64_t own_ = 0;
  bool is_short_ = false;
};

class RationedDevice final : public ForwardingDevice {
 public:
  RationedDevice(BlockDevice& inner, Ration& ration) : ForwardingDevice(inner), ration_(ration) {}

  absl::Status Read(Bytes offset, std::span<char> out) override {
    return ration_.Take(UnitsFor({out.size()})) ? ForwardingDevice::Read(offset, out)
                                                : absl::ResourceExhaustedError("too much was read in vain");
  }

 private:
  Ration& ration_;
};

class Scanner {
 public:
  Scanner(BlockDevice& device, const UnitRange& area, const ScanVisitor& visitor)
      : device_(device), area_(area), visitor_(visitor), ration_(area.units), rationed_(device, ration_) {}

  absl::Status Run() {
    const auto look = [&](uint64_t unit, std::string_view bytes) { LookAt(unit, bytes); };
    const auto unreadable = [&](uint64_t unit, const absl::Status& error) { visitor_.unreadable({unit, 1}, error); };
    return SearchUnits(device_, area_, {look, unreadable});
  }

 private:
  void LookAt(uint64_t first, std::string_view chunk) {
    for (size_t at = 0; at < chunk.size(); at += kUnit.value) {
      const uint64_t unit = first + at / kUnit.value;
      ration_.BeginCandidate();
      Candidate(unit, chunk.substr(at));
      if (ration_.IsShort()) {
        visitor_.unreadable({unit, 1}, absl::ResourceExhaustedError("too much was read in vain to look at it closer"));
      }
    }
  }

  void Candidate(uint64_t unit, std::string_view bytes) {
    if (bytes.starts_with(kNodeMagic)) {
      Node(unit, bytes);
    } else if (bytes.starts_with(kCatalogMagic)) {
      Catalog(unit, bytes);
    } else if (bytes.starts_with(kMapMagic)) {
      Scattered(unit, bytes.substr(0, kUnit.value));
    }
  }

  // Returns the bytes of so many units from `unit` on. `bytes` is the rest of the chunk; if it is too short, they are
  // read from the device. Nothing if they cannot be had.
  std::optional<std::string_view> Whole(uint64_t unit, uint64_t units, std::string_view bytes) {
    if (units == 0 || units > area_.end() - unit || !ration_.Take(units)) return std::nullopt;
    const size_t size = UnitBytes(units).value;
    if (size <= bytes.size()) return bytes.substr(0, size);
    longer_.resize(size);
    return device_.Read(UnitBytes(unit), longer_).ok() ? std::optional<std::string_view>(longer_) : std::nullopt;
  }

  void Node(uint64_t unit, std::string_view bytes) {
    const auto said = FixedPartIn(bytes);
    const bool fits = said && area_.Covers({unit, said->extent.units});
    const auto header = fits ? Whole(unit, said->header_units, bytes) : std::nullopt;
    const auto node = header ? ScanNode(unit, *header, area_) : std::nullopt;
    if (node) visitor_.node(*node);
  }

  void Catalog(uint64_t unit, std::string_view bytes) {
    const auto whole = Whole(unit, CatalogUnitsIn(bytes), bytes);
    if (whole) FoundCatalog(*whole);
  }

  // Looks at a scattered extent, given the first page of its map. What begins with the first piece must say that it is
  // the owner that the page names. (The first piece of a later page says nothing, or belongs to something else.)
  void Scattered(uint64_t unit, std::string_view page) {
    const std::optional<ExtentOwner> owner = OwnerOfMapPage(unit, page);
    if (!owner) return;
    const absl::StatusOr<MapPage> map = DecodeMapPage(unit, *owner, page);
    std::string first(kUnit.value, '\0');
    if (!map.ok() || !area_.Covers(map->pieces.front()) || !ReadPieces(rationed_, map->pieces, first).ok()) return;
    if (owner->node == 0) {
      ScatteredCatalog(unit, *owner, CatalogUnitsIn(first));
      return;
    }
    const std::optional<ScannedNode> said = FixedPartIn(first);
    if (said && said->id.value == owner->node && said->version == owner->version) ScatteredNode(unit, *owner, *said);
  }

  // Returns the first `units` units of a scattered extent. Empty if `units` is 0, or if the map or the units cannot be
  // read. Requires: the extent has that many, and no more than an extent may have.
  std::string Gather(const ExtentAddress& extent, const ExtentOwner& owner, uint32_t units) {
    if (units == 0) return {};
    const absl::StatusOr<ExtentMap> map = ReadExtentMap(rationed_, area_, extent, owner);
    const auto inside = [&](const ExtentAddress& piece) { return area_.Covers(piece); };
    if (!map.ok() || !std::all_of(map->pieces.begin(), map->pieces.end(), inside) || !ration_.Take(units)) return {};
    std::string bytes(UnitBytes(units).value, '\0');
    return ReadPieces(device_, map->pieces, bytes).ok() ? bytes : std::string();
  }

  void ScatteredNode(uint64_t unit, const ExtentOwner& owner, const ScannedNode& said) {
    const ExtentAddress extent{unit, said.extent.units, true};
    std::optional<ScannedNode> node = NodeIn(Gather(extent, owner, said.header_units));
    if (node) {
      node->extent = extent;
      visitor_.node(*node);
    }
  }

  void ScatteredCatalog(uint64_t unit, const ExtentOwner& owner, uint32_t units) {
    const std::string whole = Gather({unit, units, true}, owner, units);
    if (!whole.empty() && SealOf(whole) == owner.version) FoundCatalog(whole);
  }

  // Shows the visitor the catalog in these bytes, if they are one.
  void FoundCatalog(std::string_view bytes) {
    absl::StatusOr<layout::Catalog> catalog = DecodeCatalog(bytes);
    if (catalog.ok()) {
      visitor_.catalog({*std::move(catalog), Generation{LoadFixed<uint64_t>(bytes.data() + kCatalogGenerationAt)}});
    }
  }

  BlockDevice& device_;
  const UnitRange area_;
  const ScanVisitor& visitor_;
  Ration ration_;
  RationedDevice rationed_;  // for maps, which themselves say how far they go on
  std::string longer_;
};

}  // namespace

std::optional<ScannedNode> ScanNode(uint64_t start, std::string_view bytes, const UnitRange& area) {
  std::optional<ScannedNode> node = NodeIn(bytes);
  if (node) node->extent.start = start;
  return node && area.Covers(node->extent) ? node : std::nullopt;
}

absl::Status ScanArea(BlockDevice& device, const UnitRange& area, const ScanVisitor& visitor) {
  return Scanner(device, area, visitor).Run();
}

}  // namespace betr::layout
