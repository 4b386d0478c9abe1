// SPDX-License-Identifier: Apache-2.0
#include "layout/extent_map.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/check.h"
#include "base/coding.h"
#include "base/decoder.h"
#include "base/status.h"
#include "layout/seal.h"

namespace betr::layout {
namespace {

constexpr uint16_t kMapVersion = 1;
constexpr size_t kOwnerAt = 24;
constexpr size_t kOwnerVersionAt = 32;
static_assert(kFixedSize + 12 * kPiecesPerPage <= kUnit.value);

std::string PlaceOf(uint64_t unit) { return fmt::format("extent map: page at unit {}", unit); }

MapPage ReadFields(Decoder& in, const ExtentOwner& owner) {
  MapPage page;
  in.Raw(kSealSize);
  if (const uint16_t version = in.Fixed16(); version != kMapVersion) {
    in.Fail(fmt::format("format version is {}, must be {}", version, kMapVersion));
  }
  in.Zeros(2);
  const uint32_t pieces = in.Fixed32();
  page.owner.node = in.Fixed64();
  page.owner.version = in.Fixed64();
  page.next = in.Fixed64();
  in.Zeros(16);
  if (page.owner != owner) {
    in.Fail(fmt::format("it is of node {}, version {:x}, must be of node {}, version {:x}", page.owner.node,
                        page.owner.version, owner.node, owner.version));
  }
  if (pieces == 0 || pieces > kPiecesPerPage) {
    in.Fail(fmt::format("{} pieces, must be 1 to {}", pieces, kPiecesPerPage));
  }
  for (uint32_t i = 0; i < pieces && in.ok(); ++i) {
    const uint64_t start = in.Fixed64();
    page.pieces.push_back({start, in.Fixed32()});
    if (page.pieces.back().Nowhere() || page.pieces.back().units > kMaxExtentUnits || start > kMaxDeviceUnits) {
      in.Fail(fmt::format("{}: no possible piece", ToString(page.pieces.back())));
    }
  }
  in.Zeros(in.remaining());
  return page;
}

}  // namespace

std::string EncodeMapPage(const MapPage& page) {
  Check(!page.pieces.empty() && page.pieces.size() <= kPiecesPerPage, "a page of a map has 1 to 336 pieces");
  std::string bytes(kMapMagic);
  bytes.reserve(kUnit.value);
  PutFixed64(&bytes, 0);
  PutFixed16(&bytes, kMapVersion);
  PutFixed16(&bytes, 0);
  PutFixed32(&bytes, static_cast<uint32_t>(page.pieces.size()));
  PutFixed64(&bytes, page.owner.node);
  PutFixed64(&bytes, page.owner.version);
  PutFixed64(&bytes, page.next);
  bytes.resize(kFixedSize, '\0');
  for (const ExtentAddress& piece : page.pieces) {
    PutFixed64(&bytes, piece.start);
    PutFixed32(&bytes, piece.units);
  }
  bytes.resize(kUnit.value, '\0');
  Seal(&bytes);
  return bytes;
}

absl::StatusOr<MapPage> DecodeMapPage(uint64_t unit, const ExtentOwner& owner, std::string_view bytes) {
  Check(bytes.size() == kUnit.value, "a page of a map has one unit");
  BETR_RETURN_IF_ERROR(CheckSeal(PlaceOf(unit), kMapMagic, bytes));
  Decoder in(bytes);
  MapPage page = ReadFields(in, owner);
  BETR_RETURN_IF_ERROR(in.Finish(PlaceOf(unit)));
  return page;
}

std::optional<ExtentOwner> OwnerOfMapPage(uint64_t unit, std::string_view bytes) {
  const ExtentOwner owner{LoadFixed<uint64_t>(bytes.data() + kOwnerAt),
                          LoadFixed<uint64_t>(bytes.data() + kOwnerVersionAt)};
  return DecodeMapPage(unit, owner, bytes).ok() ? std::optional(owner) : std::nullopt;
}

absl::Status ReadPieces(BlockDevice& device, std::span<const ExtentAddress> pieces, std::span<char> out) {
  for (const ExtentAddress& piece : pieces) {
    const size_t size = std::min<size_t>(piece.Size().value, out.size());
    BETR_RETURN_IF_ERROR(device.Read(piece.Offset(), out.first(size)));
    out = out.subspan(size);
    if (out.empty()) break;
  }
  Check(out.empty(), "only what is in the pieces is read");
  return absl::OkStatus();
}

absl::StatusOr<ExtentMap> ReadExtentMap(BlockDevice& device, const UnitRange& area, const ExtentAddress& extent,
                                        const ExtentOwner& owner) {
  Check(extent.scattered, "only scattered extents have maps");
  ExtentMap map;
  uint64_t units = 0;
  // Every page has a piece, so this ends even if the chain of pages is a cycle.
  for (uint64_t unit = extent.start; unit != 0 && units < extent.units;) {
    map.pages.push_back({unit, 1});
    if (!area.Covers(map.pages.back())) {
      return absl::DataLossError(PlaceOf(unit) + ": lies outside the space of the image");
    }
    std::string bytes(kUnit.value, '\0');
    BETR_RETURN_IF_ERROR(device.Read(UnitBytes(unit), bytes));
    BETR_ASSIGN_OR_RETURN(const MapPage page, DecodeMapPage(unit, owner, bytes));
    for (const ExtentAddress& piece : page.pieces) {
      units += piece.units;
      map.pieces.push_back(piece);
    }
    unit = page.next;
  }
  if (units != extent.units) {
    return absl::DataLossError(
        fmt::format("{}: its pieces have {} units, must be {}", PlaceOf(extent.start), units, extent.units));
  }
  return map;
}

}  // namespace betr::layout
