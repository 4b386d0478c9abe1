// SPDX-License-Identifier: Apache-2.0
// Puts objects under names: what creating, linking, renaming, cloning and removing have in common.
#pragma once

#include <string>
#include <string_view>

#include "fs/transaction.h"

namespace betr::fs {

// A valid name in an existing directory, which something has or is to get. `inode` is what has it now.
struct Slot {
  Inode* directory = nullptr;
  std::string name;
  std::string content;  // the directory's content prefix
  std::string object;   // the key of the entry
  Inode* inode = nullptr;
};

// Finds the slot of a name, taken or free. Its path may be longer than that of something new may be: a repair may have
// put it there. Errors: ENOTDIR, ENOENT (removed directory), ENAMETOOLONG (the name), EINVAL.
absl::StatusOr<Slot> FindSlot(Core& core, Inode& directory, std::string_view name);
// To be called for what gets a name. Counts it if it may not belong entirely to the directory's owner, or is a device.
void CountArrival(Core& core, const Inode& inode, const Inode& directory);
size_t PathSize(const Core& core, const Slot& slot);
// As FindSlot, but EEXIST unless it is free, and ENAMETOOLONG also for the path.
absl::StatusOr<Slot> FindFreeSlot(Core& core, Inode& directory, std::string_view name);
// As FindSlot, but ENOENT if it is free. "." is EINVAL and ".." is ENOTEMPTY, as when unlinking them.
absl::StatusOr<Slot> FindTakenSlot(Core& core, Inode& directory, std::string_view name);

// Returns the inode's record with another stored number (and salt), such that in `context` all visible numbers are what
// they are now.
InodeRecord RecordIn(const Inode& inode, NumberContext context);

// Returns the record of a new object in a directory with that record, but for its extended attributes.
InodeRecord NewRecord(const NewFile& file, const InodeRecord& directory, FileTime now, uint64_t number);

// Adds to the transaction that the object of `inode`, with this record, gets the slot. Requires: the slot is free, or
// was freed before.
void PutNamed(Transaction* transaction, const Slot& slot, const InodeRecord& record, const Inode& inode);
// The same for an object that has no inode in memory yet.
void PutNew(Transaction* transaction, Core& core, const Slot& slot, const InodeRecord& record);
// The same for a name of a group in `home`.
void PutReference(Transaction* transaction, Core& core, const Slot& slot, Inode* home, const Reference& reference);
// Adds that the entry goes, with what belongs to it as a name of a group. Its object stays.
void EraseName(Transaction* transaction, Core& core, const Slot& slot);

// What becomes of an object that loses a name.
enum class Fate : uint8_t { kStays, kBecomesOrphan, kGoes };
struct Removal {
  Inode* inode = nullptr;
  Fate fate = Fate::kStays;
  uint64_t orphan = 0;
  InodeRecord record;  // afterwards, unless it stays
};

// Adds that the object has `names` names fewer. With its last one it goes, or becomes an orphan if it outlives its
// names.
Removal DropObject(Transaction* transaction, Core& core, Inode* inode, uint32_t names = 1);
// To be called after the transaction, in this order: the first forgets the name, the second does to the inode what the
// removal did to its object.
void ForgetName(Core& core, const Slot& slot);
void Follow(Core& core, const Removal& removal);

// The key, in the home's index of names, of a key or content prefix below the home.
std::string GroupNameKey(const std::string& home_content, std::string_view key);

}  // namespace betr::fs
