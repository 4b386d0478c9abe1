// SPDX-License-Identifier: Apache-2.0
#include "layout/scan.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "base/coding.h"
#include "base/status.h"
#include "layout/extent_map.h"
#include "layout/node_format.h"
#include "layout/seal.h"

namespace betr::layout {
namespace {

constexpr uint64_t kChunkUnits = MiB(1) / kUnit;

// Where the fields are that tell what must be read (node_codec.h, catalog_codec.h).
constexpr size_t kHeightAt = 18;
constexpr size_t kIdAt = 24;
constexpr size_t kVersionAt = 32;
constexpr size_t kHeaderUnitsAt = 40;
constexpr size_t kExtentUnitsAt = 44;
constexpr size_t kCatalogUnitsAt = 24;
constexpr size_t kCatalogGenerationAt = 32;

// What an intact header section says, wherever it lies.
std::optional<ScannedNode> NodeIn(std::string_view bytes) {
  if (bytes.size() < kFixedSize || !bytes.starts_with(kNodeMagic)) {
    return std::nullopt;
  }
  ScannedNode node;
  node.id.value = LoadFixed<uint64_t>(bytes.data() + kIdAt);
  node.version = LoadFixed<uint64_t>(bytes.data() + kVersionAt);
  node.height = static_cast<uint8_t>(bytes[kHeightAt]);
  node.header_units = LoadFixed<uint32_t>(bytes.data() + kHeaderUnitsAt);
  node.extent.units = LoadFixed<uint32_t>(bytes.data() + kExtentUnitsAt);
  const bool fits = node.header_units > 0 && node.header_units <= kMaxHeaderUnits &&
                    node.header_units <= node.extent.units && node.extent.units <= kMaxExtentUnits &&
                    UnitBytes(node.header_units).value <= bytes.size();
  if (!fits || node.id == kNoNode || node.height > dag::kMaxHeight) {
    return std::nullopt;
  }
  const std::string_view header = bytes.substr(0, UnitBytes(node.header_units).value);
  return CheckSeal("header", kNodeMagic, header).ok() ? std::optional(node) : std::nullopt;
}

class Scanner {
 public:
  Scanner(BlockDevice& device, const UnitRange& area, const ScanVisitor& visitor)
      : device_(device), area_(area), visitor_(visitor) {}

  absl::Status Run() {
    for (uint64_t unit = area_.start; unit < area_.end(); unit += kChunkUnits) {
      const uint64_t units = std::min(kChunkUnits, area_.end() - unit);
      std::string chunk(UnitBytes(units).value, '\0');
      absl::Status read = device_.Read(UnitBytes(unit), chunk);
      if (absl::IsCancelled(read)) {
        return read;
      }
      if (read.ok()) {
        LookAt(unit, chunk);
      } else {
        BETR_RETURN_IF_ERROR(UnitByUnit(unit, units));
      }
    }
    return absl::OkStatus();
  }

 private:
  absl::Status UnitByUnit(uint64_t first, uint64_t units) {
    std::string bytes(kUnit.value, '\0');
    for (uint64_t unit = first; unit < first + units; ++unit) {
      const absl::Status read = device_.Read(UnitBytes(unit), bytes);
      if (absl::IsCancelled(read)) {
        return read;
      }
      if (read.ok()) {
        LookAt(unit, bytes);
      } else {
        visitor_.unreadable({unit, 1}, read);
      }
    }
    return absl::OkStatus();
  }

  void LookAt(uint64_t first, std::string_view chunk) {
    for (size_t at = 0; at < chunk.size(); at += kUnit.value) {
      const uint64_t unit = first + at / kUnit.value;
      const std::string_view bytes = chunk.substr(at);
      if (bytes.starts_with(kNodeMagic)) {
        Node(unit, bytes);
      } else if (bytes.starts_with(kCatalogMagic)) {
        Catalog(unit, bytes);
      } else if (bytes.starts_with(kMapMagic)) {
        Scattered(unit, bytes.substr(0, kUnit.value));
      }
    }
  }

  // The bytes of so many units from `unit` on; from the device if the chunk does not reach so far.
  std::optional<std::string_view> Whole(uint64_t unit, uint64_t units, std::string_view bytes) {
    if (units == 0 || units > area_.end() - unit) {
      return std::nullopt;
    }
    const size_t size = UnitBytes(units).value;
    if (size <= bytes.size()) {
      return bytes.substr(0, size);
    }
    longer_.resize(size);
    return device_.Read(UnitBytes(unit), longer_).ok() ? std::optional<std::string_view>(longer_) : std::nullopt;
  }

  void Node(uint64_t unit, std::string_view bytes) {
    const auto units = LoadFixed<uint32_t>(bytes.data() + kHeaderUnitsAt);
    const auto header = units <= kMaxHeaderUnits ? Whole(unit, units, bytes) : std::nullopt;
    const auto node = header ? ScanNode(unit, *header, area_) : std::nullopt;
    if (node) {
      visitor_.node(*node);
    }
  }

  void Catalog(uint64_t unit, std::string_view bytes) {
    const auto units = LoadFixed<uint32_t>(bytes.data() + kCatalogUnitsAt);
    const auto whole = units <= kMaxExtentUnits ? Whole(unit, units, bytes) : std::nullopt;
    absl::StatusOr<layout::Catalog> catalog = whole ? DecodeCatalog(*whole) : absl::DataLossError("");
    if (catalog.ok()) {
      visitor_.catalog({*std::move(catalog), Generation{LoadFixed<uint64_t>(whole->data() + kCatalogGenerationAt)}});
    }
  }

  // What is described by a map of which this is the first page: what begins with its first piece must say that it is
  // the owner. (A later page's first piece says nothing, or is of something else.)
  void Scattered(uint64_t unit, std::string_view page) {
    const std::optional<ExtentOwner> owner = OwnerOfMapPage(unit, page);
    const absl::StatusOr<MapPage> map = owner ? DecodeMapPage(unit, *owner, page) : absl::DataLossError("");
    std::string first(kUnit.value, '\0');
    if (!map.ok() || !area_.Covers(map->pieces.front()) || !ReadPieces(device_, map->pieces, first).ok()) {
      return;
    }
    if (owner->node == 0) {
      ScatteredCatalog(unit, *owner, first);
    } else if (first.starts_with(kNodeMagic) && LoadFixed<uint64_t>(first.data() + kIdAt) == owner->node &&
               LoadFixed<uint64_t>(first.data() + kVersionAt) == owner->version) {
      ScatteredNode(unit, *owner, first);
    }
  }

  // The first `units` of a scattered extent; empty if its map is damaged.
  std::string Gather(const ExtentAddress& extent, const ExtentOwner& owner, uint32_t units) {
    const bool possible = units > 0 && units <= extent.units && extent.units <= kMaxExtentUnits;
    const absl::StatusOr<ExtentMap> map =
        possible ? ReadExtentMap(device_, area_, extent, owner) : absl::DataLossError("");
    const auto inside = [&](const ExtentAddress& piece) { return area_.Covers(piece); };
    if (!map.ok() || !std::all_of(map->pieces.begin(), map->pieces.end(), inside)) {
      return {};
    }
    std::string bytes(UnitBytes(units).value, '\0');
    return ReadPieces(device_, map->pieces, bytes).ok() ? bytes : std::string();
  }

  void ScatteredNode(uint64_t unit, const ExtentOwner& owner, std::string_view first) {
    const ExtentAddress extent{unit, LoadFixed<uint32_t>(first.data() + kExtentUnitsAt), true};
    const auto units = LoadFixed<uint32_t>(first.data() + kHeaderUnitsAt);
    const std::string header = units <= kMaxHeaderUnits ? Gather(extent, owner, units) : std::string();
    std::optional<ScannedNode> node = NodeIn(header);
    if (node) {
      node->extent = extent;
      visitor_.node(*node);
    }
  }

  void ScatteredCatalog(uint64_t unit, const ExtentOwner& owner, std::string_view first) {
    const auto units = LoadFixed<uint32_t>(first.data() + kCatalogUnitsAt);
    const std::string whole = first.starts_with(kCatalogMagic) ? Gather({unit, units, true}, owner, units) : "";
    absl::StatusOr<layout::Catalog> catalog = whole.empty() ? absl::DataLossError("") : DecodeCatalog(whole);
    if (catalog.ok() && SealOf(whole) == owner.version) {
      visitor_.catalog({*std::move(catalog), Generation{LoadFixed<uint64_t>(whole.data() + kCatalogGenerationAt)}});
    }
  }

  BlockDevice& device_;
  const UnitRange area_;
  const ScanVisitor& visitor_;
  std::string longer_;
};

}  // namespace

std::optional<ScannedNode> ScanNode(uint64_t start, std::string_view bytes, const UnitRange& area) {
  std::optional<ScannedNode> node = NodeIn(bytes);
  if (node) {
    node->extent.start = start;
  }
  return node && area.Covers(node->extent) ? node : std::nullopt;
}

absl::Status ScanArea(BlockDevice& device, const UnitRange& area, const ScanVisitor& visitor) {
  return Scanner(device, area, visitor).Run();
}

}  // namespace betr::layout
