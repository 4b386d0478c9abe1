// SPDX-License-Identifier: Apache-2.0
#include "support/layout/entry_slot.h"

#include <string>

namespace betr::layout {

std::shared_ptr<const dag::BlockSlot> MakeEntrySlot(const BlockEntry& entry) {
  return std::make_shared<EntrySlot>(entry);
}

absl::StatusOr<StoredBlock> FetchEntry(const BlockUse& use) {
  const BlockEntry& entry = static_cast<const EntrySlot*>(use.slot)->entry;
  return StoredBlock{entry.compression, entry.raw_size, entry.checksum,
                     entry.count,       entry.erases,   std::string(entry.stored_size.value, 'x')};
}

}  // namespace betr::layout
