// SPDX-License-Identifier: Apache-2.0
#include "fs/zones.h"

#include "base/status.h"

namespace betr::fs {

absl::StatusOr<bool> FitIntoZone(Core& core, Bytes zone_size, std::span<const PrefixMove> moves) {
  BETR_RETURN_IF_ERROR(core.Flush());  // what is pending counts
  Bytes size{0};
  for (const PrefixMove& move : moves) {
    BETR_ASSIGN_OR_RETURN(const RangeEstimate estimate, core.store().Estimate(move.tree, Range::Prefix(move.from)));
    size += estimate.bytes;
  }
  return size <= zone_size;
}

}  // namespace betr::fs
