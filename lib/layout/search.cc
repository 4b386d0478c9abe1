// SPDX-License-Identifier: Apache-2.0
#include "layout/search.h"

#include <algorithm>
#include <string>

#include "base/status.h"

namespace betr::layout {
namespace {

constexpr uint64_t kChunkUnits = MiB(1) / kUnit;

absl::Status SearchChunk(BlockDevice& device, const UnitRange& chunk, const SearchVisitor& visitor) {
  std::string bytes(UnitBytes(chunk.units).value, '\0');
  const absl::Status read = device.Read(UnitBytes(chunk.start), bytes);
  if (absl::IsCancelled(read)) return read;
  if (read.ok()) {
    visitor.look(chunk.start, bytes);
  } else if (chunk.units == 1) {
    visitor.unreadable(chunk.start, read);
  } else {
    for (uint64_t unit = chunk.start; unit < chunk.end(); ++unit) {
      BETR_RETURN_IF_ERROR(SearchChunk(device, {unit, 1}, visitor));
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status SearchUnits(BlockDevice& device, const UnitRange& area, const SearchVisitor& visitor) {
  for (uint64_t unit = area.start; unit < area.end(); unit += kChunkUnits) {
    BETR_RETURN_IF_ERROR(SearchChunk(device, {unit, std::min(kChunkUnits, area.end() - unit)}, visitor));
  }
  return absl::OkStatus();
}

}  // namespace betr::layout
