// SPDX-License-Identifier: Apache-2.0
#include "layout/extent_io.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/status.h"

namespace betr::layout {
namespace {

// Calls move(place, from, size) for each stretch of the `length` bytes at `offset` that is in one piece on the device.
// `place` is where the stretch begins on the device, `from` where it begins within the `length` bytes.
template <class Move>
absl::Status ForEachStretch(const Extent& extent, Bytes offset, Bytes length, const Move& move) {
  Check(offset + length <= extent.address().Size(), "only what is in an extent is read and written");
  if (!extent.address().scattered) return move(extent.address().Offset() + offset, Bytes{0}, length);
  Bytes begin{0};  // of the piece, in the extent
  Bytes from{0};
  for (const ExtentRef& piece : extent.pieces()) {
    const ExtentAddress& place = piece->address();
    const Bytes end = begin + place.Size();
    if (from < length && offset + from < end) {
      const Bytes there = std::min(end - (offset + from), length - from);
      BETR_RETURN_IF_ERROR(move(place.Offset() + (offset + from - begin), from, there));
      from += there;
    }
    begin = end;
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status ReadExtent(BlockDevice& device, const Extent& extent, Bytes offset, std::span<char> out) {
  return ForEachStretch(extent, offset, Bytes{out.size()}, [&](Bytes place, Bytes from, Bytes length) {
    return device.Read(place, out.subspan(from.value, length.value));
  });
}

absl::Status WriteExtent(BlockDevice& device, const Extent& extent, Bytes offset, std::string_view bytes) {
  return ForEachStretch(extent, offset, Bytes{bytes.size()}, [&](Bytes place, Bytes from, Bytes length) {
    return device.Write(place, bytes.substr(from.value, length.value));
  });
}

absl::Status WriteExtentMap(BlockDevice& device, const Extent& extent, const ExtentOwner& owner) {
  auto piece = extent.pieces().begin();
  for (size_t i = 0; i < extent.map_pages().size() && piece != extent.pieces().end(); ++i) {
    MapPage page{owner, 0, {}};
    while (piece != extent.pieces().end() && page.pieces.size() < kPiecesPerPage) {
      page.pieces.push_back((*piece)->address());
      ++piece;
    }
    if (piece != extent.pieces().end()) page.next = extent.map_pages().at(i + 1)->address().start;
    BETR_RETURN_IF_ERROR(device.Write(extent.map_pages()[i]->address().Offset(), EncodeMapPage(page)));
  }
  return absl::OkStatus();
}

absl::StatusOr<ExtentRef> ClaimExtent(BlockDevice& device, SpaceMap& space, const ExtentAddress& address,
                                      const ExtentOwner& owner) {
  if (!address.scattered) return space.Claim(address);
  BETR_ASSIGN_OR_RETURN(const ExtentMap map, ReadExtentMap(device, space.area(), address, owner));
  std::vector<ExtentRef> pieces;
  for (const ExtentAddress& piece : map.pieces) {
    BETR_ASSIGN_OR_RETURN(pieces.emplace_back(), space.Claim(piece));
  }
  std::vector<ExtentRef> pages;
  for (const ExtentAddress& page : map.pages) {
    BETR_ASSIGN_OR_RETURN(pages.emplace_back(), space.Claim(page));
  }
  return std::make_shared<const Extent>(address.units, std::move(pieces), std::move(pages));
}

}  // namespace betr::layout
