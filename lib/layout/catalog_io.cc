// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <utility>

#include "base/status.h"
#include "layout/catalog_codec.h"
#include "layout/extent_io.h"
#include "layout/seal.h"

namespace betr::layout {

absl::StatusOr<StoredCatalog> WriteCatalog(BlockDevice& device, SpaceMap& space, Generation generation,
                                           Catalog catalog) {
  if (const absl::Status sound = CheckCatalog(catalog); !sound.ok()) {
    return absl::InternalError(fmt::format("cannot be written: {}", std::string(sound.message())));
  }
  const std::string bytes = EncodeCatalog(catalog, generation);
  const uint64_t units = UnitsFor({bytes.size()});
  if (units > kMaxExtentUnits) {
    return absl::InternalError(fmt::format("cannot be written: catalog: {} units", units));
  }
  BETR_ASSIGN_OR_RETURN(ExtentRef extent, space.AllocateAnyhow(static_cast<uint32_t>(units)));
  BETR_RETURN_IF_ERROR(WriteExtent(device, *extent, Bytes{0}, bytes));
  BETR_RETURN_IF_ERROR(WriteExtentMap(device, *extent, {0, SealOf(bytes)}));
  const StructureAddress address{extent->address(), SealOf(bytes)};
  return StoredCatalog{std::move(catalog), address, std::move(extent)};
}

absl::StatusOr<StoredCatalog> ReadCatalog(BlockDevice& device, SpaceMap& space, const StructureAddress& address) {
  StoredCatalog stored;
  if (address.extent.Nowhere()) {
    return stored;
  }
  stored.address = address;
  absl::StatusOr<ExtentRef> extent = ClaimExtent(device, space, address.extent, {0, address.checksum});
  if (!extent.ok()) {
    return Annotate(extent.status(), "catalog");
  }
  stored.extent = *std::move(extent);
  std::string bytes(address.extent.Size().value, '\0');
  BETR_RETURN_IF_ERROR(ReadExtent(device, *stored.extent, Bytes{0}, bytes));
  absl::StatusOr<Catalog> catalog = DecodeCatalog(bytes);
  if (!catalog.ok()) {
    return Annotate(catalog.status(), ToString(address.extent));
  }
  stored.catalog = *std::move(catalog);
  if (SealOf(bytes) != address.checksum) {
    return absl::DataLossError(fmt::format("catalog: {}: checksum is {:016x}, must be {:016x}: an older one",
                                           ToString(address.extent), SealOf(bytes), address.checksum));
  }
  return stored;
}

}  // namespace betr::layout
