// SPDX-License-Identifier: Apache-2.0
// Putting objects under names: what creating, linking, renaming, cloning and removing have in common.
#pragma once

#include <string>
#include <string_view>

#include "fs/transaction.h"

namespace betr::fs {

// A name that something has or is to get: in a directory that exists, and valid. `inode` is what has it now.
struct Slot {
  Inode* directory = nullptr;
  std::string name;
  std::string content;  // the directory's content prefix
  std::string object;   // the key of the entry
  Inode* inode = nullptr;
};

// ENOTDIR, ENOENT (removed directory), ENAMETOOLONG (the name), EINVAL. A free slot is fine. The path may be too long
// for something new, as that of what a repair has put there.
absl::StatusOr<Slot> FindSlot(Core& core, Inode& directory, std::string_view name);
// To be called for what gets a name: counts it if it may not be all the directory's owner's, or is a device.
void CountArrival(Core& core, const Inode& inode, const Inode& directory);
size_t PathSize(const Core& core, const Slot& slot);
// The same; EEXIST unless it is free; ENAMETOOLONG also for the path.
absl::StatusOr<Slot> FindFreeSlot(Core& core, Inode& directory, std::string_view name);
// As FindSlot; ENOENT if it is free. "." is EINVAL, ".." is ENOTEMPTY, as unlinking them is.
absl::StatusOr<Slot> FindTakenSlot(Core& core, Inode& directory, std::string_view name);

// The record with another stored number (and salt), such that in `context` all visible numbers are those of the
// inode now.
InodeRecord RecordIn(const Inode& inode, NumberContext context);

// Adds to the transaction: the object of `inode`, with this record, gets the (free, or freed before) slot.
void PutNamed(Transaction* transaction, const Slot& slot, const InodeRecord& record, const Inode& inode);
// The same for an object that no inode in memory is for yet.
void PutNew(Transaction* transaction, Core& core, const Slot& slot, const InodeRecord& record);
// The same for a name of a group in `home`.
void PutReference(Transaction* transaction, Core& core, const Slot& slot, Inode* home, const Reference& reference);
// Adds: the entry goes, with what a name of a group needs. Not its object.
void EraseName(Transaction* transaction, Core& core, const Slot& slot);

// What becomes of an object that loses a name.
enum class Fate : uint8_t { kStays, kBecomesOrphan, kGoes };
struct Removal {
  Inode* inode = nullptr;
  Fate fate = Fate::kStays;
  uint64_t orphan = 0;
  InodeRecord record;  // afterwards, unless it stays
};

// Adds: so many names fewer. With the last one the object goes, or becomes an orphan if it outlives its names.
Removal DropObject(Transaction* transaction, Core& core, Inode* inode, uint32_t names = 1);
// After the transaction: the name is forgotten, then the inode follows.
void ForgetName(Core& core, const Slot& slot);
void Follow(Core& core, const Removal& removal);

// Where a key or content prefix below a home is in the index of the home's names.
std::string GroupNameKey(const std::string& home_content, std::string_view key);

}  // namespace betr::fs
