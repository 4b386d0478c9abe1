// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <utility>

#include "base/status.h"
#include "layout/catalog_codec.h"
#include "layout/extent_io.h"
#include "layout/seal.h"

namespace betr::layout {
namespace {

absl::Status WriteCopy(BlockDevice& device, const Extent& extent, std::string_view bytes) {
  BETR_RETURN_IF_ERROR(WriteExtent(device, extent, Bytes{0}, bytes));
  return WriteExtentMap(device, extent, {0, SealOf(bytes)});
}

// Reads one copy and claims its space.
absl::StatusOr<Catalog> ReadOne(BlockDevice& device, SpaceMap& space, const ExtentAddress& address, uint64_t checksum,
                                ExtentRef* claimed) {
  absl::StatusOr<ExtentRef> extent = ClaimExtent(device, space, address, {0, checksum});
  if (!extent.ok()) return Annotate(extent.status(), "catalog");
  *claimed = *std::move(extent);
  std::string bytes(address.Size().value, '\0');
  BETR_RETURN_IF_ERROR(ReadExtent(device, **claimed, Bytes{0}, bytes));
  absl::StatusOr<Catalog> catalog = DecodeCatalog(bytes);
  if (!catalog.ok()) return Annotate(catalog.status(), ToString(address));
  if (SealOf(bytes) != checksum) {
    return absl::DataLossError(fmt::format("catalog: {}: checksum is {:016x}, must be {:016x}: an older one",
                                           ToString(address), SealOf(bytes), checksum));
  }
  return catalog;
}

}  // namespace

absl::StatusOr<StoredCatalog> WriteCatalog(BlockDevice& device, SpaceMap& space, Generation generation,
                                           Catalog catalog) {
  if (const absl::Status sound = CheckCatalog(catalog); !sound.ok()) {
    return absl::InternalError(fmt::format("cannot be written: {}", std::string(sound.message())));
  }
  const std::string bytes = EncodeCatalog(catalog, generation);
  const uint64_t units = UnitsFor({bytes.size()});
  if (units > kMaxExtentUnits) return absl::InternalError(fmt::format("cannot be written: catalog: {} units", units));
  StoredCatalog stored;
  BETR_ASSIGN_OR_RETURN(stored.extents[0], space.AllocateAnyhow(static_cast<uint32_t>(units)));
  BETR_ASSIGN_OR_RETURN(stored.extents[1], space.AllocateApart(static_cast<uint32_t>(units)));
  for (size_t copy = 0; copy < stored.extents.size(); ++copy) {
    BETR_RETURN_IF_ERROR(WriteCopy(device, *stored.extents[copy], bytes));
    stored.address.copies[copy] = stored.extents[copy]->address();
  }
  stored.address.checksum = SealOf(bytes);
  stored.catalog = std::move(catalog);
  return stored;
}

absl::StatusOr<StoredCatalog> ReadCatalog(BlockDevice& device, SpaceMap& space, const CatalogAddress& address) {
  StoredCatalog stored;
  if (address.Nowhere()) return stored;
  stored.address = address;
  for (size_t copy = 0; copy < address.copies.size(); ++copy) {
    absl::StatusOr<Catalog> catalog =
        ReadOne(device, space, address.copies[copy], address.checksum, &stored.extents[copy]);
    stored.copies[copy] = catalog.status();
    if (catalog.ok()) stored.catalog = *std::move(catalog);
  }
  if (!stored.copies[0].ok() && !stored.copies[1].ok()) return stored.copies[0];
  return stored;
}

}  // namespace betr::layout
