// SPDX-License-Identifier: Apache-2.0
#include "store/log/log_area.h"

#include "base/checksum.h"

namespace betr::store {

LogArea LogAreaOf(const layout::Superblock& superblock) {
  return {layout::UnitBytes(superblock.log.start), layout::UnitBytes(superblock.log.units)};
}

uint64_t LogSaltOf(const layout::Superblock& superblock) { return Checksum(superblock.uuid.View()); }

}  // namespace betr::store
