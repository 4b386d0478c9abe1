// SPDX-License-Identifier: Apache-2.0
#include <cerrno>

#include "base/status.h"
#include "fs/block_io.h"
#include "fs/key.h"
#include "fs/link_groups.h"
#include "fs/names.h"
#include "fs/place.h"

namespace betr::fs {
namespace {

// Gives a file that was made without a name its first one.
absl::Status NameOrphan(Core& core, Inode& inode, const Slot& slot) {
  Transaction transaction(&core);
  InodeRecord record = RecordIn(inode, slot.directory->context);
  record.links = 1;
  record.changed = transaction.now();
  const std::string orphan = core.ObjectOf(inode);
  transaction.batch().Erase(core.meta(), orphan);
  PutNamed(&transaction, slot, record, inode);
  MoveAttachments(&transaction.batch(), core.data(), orphan, slot.object, record);
  transaction.TouchDirectory(slot.directory, 0);
  BETR_RETURN_IF_ERROR(transaction.Commit());
  inode.record = record;
  core.inodes().AddName(&inode, slot.directory, slot.name);
  core.inodes().BecomeNamed(&inode);
  return absl::OkStatus();
}

// Gives a file with one name its second, which makes it a group.
absl::Status MakeGroup(Core& core, Inode& inode, Inode* home, const Slot& slot) {
  Transaction transaction(&core);
  const Slot first{inode.parent(), inode.names.front().name, core.ContentOf(*inode.parent()), core.ObjectOf(inode),
                   &inode};
  const uint64_t id = transaction.FreshNumber();
  InodeRecord record = RecordIn(inode, home->context);
  record.links = 2;
  record.changed = transaction.now();
  const std::string group = key::Group(core.ContentOf(*home), id);
  transaction.PutRecord(group, record, inode);
  MoveAttachments(&transaction.batch(), core.data(), first.object, group, record);
  PutReference(&transaction, core, first, home, {record.type, id});
  PutReference(&transaction, core, slot, home, {record.type, id});
  transaction.TouchDirectory(slot.directory, 0);
  BETR_RETURN_IF_ERROR(transaction.Commit());
  inode.record = record;
  core.inodes().AddName(&inode, slot.directory, slot.name);
  core.inodes().BecomeGroup(&inode, home, id);
  return absl::OkStatus();
}

absl::Status JoinGroup(Core& core, Inode& inode, Inode* home, const Slot& slot) {
  Transaction transaction(&core);
  AttributeDelta delta;
  delta.links = 1;
  delta.changed = transaction.now();
  transaction.Change(&inode, delta);
  PutReference(&transaction, core, slot, home, {inode.record.type, inode.group});
  transaction.TouchDirectory(slot.directory, 0);
  BETR_RETURN_IF_ERROR(transaction.Commit());
  core.inodes().AddName(&inode, slot.directory, slot.name);
  return absl::OkStatus();
}

absl::Status LinkInto(Core& core, Inode& inode, const Slot& slot) {
  if (inode.place == InodePlace::kOrphan) return NameOrphan(core, inode, slot);
  if (inode.place == InodePlace::kGroup) {
    BETR_ASSIGN_OR_RETURN(Inode* const home, CommonHome(core, *inode.home, *slot.directory));
    return JoinGroup(core, inode, home, slot);
  }
  BETR_ASSIGN_OR_RETURN(Inode* const home, CommonHome(core, *inode.parent(), *slot.directory));
  return MakeGroup(core, inode, home, slot);
}

}  // namespace

absl::Status Link(Core& core, Inode& inode, Inode& directory, std::string_view name) {
  BETR_ASSIGN_OR_RETURN(const Slot slot, FindFreeSlot(core, directory, name));
  if (inode.IsDirectory()) return ErrnoError(EPERM, "a second name for a directory");
  if (inode.place == InodePlace::kGone || (inode.place == InodePlace::kOrphan && !inode.unnamed)) {
    return ErrnoError(ENOENT, "an unlinked file");
  }
  if (inode.record.links >= kMaxLinks) return ErrnoError(EMLINK, name);
  BETR_RETURN_IF_ERROR(LinkInto(core, inode, slot));
  directory.known_names.Add(name);
  CountArrival(core, inode, directory);
  return absl::OkStatus();
}

}  // namespace betr::fs
