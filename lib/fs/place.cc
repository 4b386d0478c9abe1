// SPDX-License-Identifier: Apache-2.0
#include "fs/place.h"

#include <sys/stat.h>

#include <cerrno>

#include "base/status.h"
#include "fs/block_io.h"
#include "fs/key.h"

namespace betr::fs {
namespace {

void ReachSlot(Transaction* transaction, const Slot& slot, const InodeRecord& record) {
  transaction->Reach(slot.directory, slot.name.size() + 1, record.reach);
}

}  // namespace

absl::StatusOr<Slot> FindSlot(Core& core, Inode& directory, std::string_view name) {
  BETR_RETURN_IF_ERROR(CheckDirectory(directory));
  BETR_RETURN_IF_ERROR(CheckName(name));
  Slot slot{&directory, std::string(name), core.ContentOf(directory), {}, nullptr};
  slot.object = key::Entry(slot.content, name);
  BETR_ASSIGN_OR_RETURN(slot.inode, core.Find(directory, name));
  return slot;
}

void CountArrival(Core& core, const Inode& inode, const Inode& directory) {
  if (inode.IsDirectory() || IsDevice(inode.record.type) || inode.record.uid != directory.record.uid) {
    core.CountArrival(directory.record.uid);
  }
}

size_t PathSize(const Core& core, const Slot& slot) { return core.PathSizeOf(*slot.directory) + slot.name.size(); }

absl::StatusOr<Slot> FindFreeSlot(Core& core, Inode& directory, std::string_view name) {
  if (name == "." || name == "..") return ErrnoError(EEXIST, name);
  BETR_ASSIGN_OR_RETURN(Slot slot, FindSlot(core, directory, name));
  if (PathSize(core, slot) > kMaxPathSize) return ErrnoError(ENAMETOOLONG, name);
  if (slot.inode != nullptr) return ErrnoError(EEXIST, name);
  return slot;
}

absl::StatusOr<Slot> FindTakenSlot(Core& core, Inode& directory, std::string_view name) {
  if (name == "..") return ErrnoError(ENOTEMPTY, name);
  BETR_ASSIGN_OR_RETURN(Slot slot, FindSlot(core, directory, name));
  if (slot.inode == nullptr) return ErrnoError(ENOENT, name);
  return slot;
}

InodeRecord RecordIn(const Inode& inode, NumberContext context) {
  InodeRecord record = inode.record;
  record.number = StoredNumber(VisibleNumber(record.number, ContextOf(inode)), context);
  if (record.IsDirectory()) record.salt = inode.context ^ context;
  return record;
}

InodeRecord NewRecord(const NewFile& file, const InodeRecord& directory, FileTime now, uint64_t number) {
  InodeRecord record;
  record.type = file.type;
  record.permissions = file.type == FileType::kSymlink ? 0777 : file.permissions & 07777U;
  record.uid = file.uid;
  record.gid = file.gid;
  record.number = number;
  record.accessed = record.modified = record.changed = record.born = now;
  if (IsDevice(file.type)) record.device = file.device;
  if (file.type == FileType::kSymlink) record.target = file.target;
  if (record.IsDirectory()) record.links = 2;
  if ((directory.permissions & S_ISGID) != 0) {
    record.gid = directory.gid;
    if (record.IsDirectory()) record.permissions |= S_ISGID;
  }
  return record;
}

std::string GroupNameKey(const std::string& home_content, std::string_view key) {
  return key::GroupName(home_content, key::Relative(home_content, key));
}

void PutNamed(Transaction* transaction, const Slot& slot, const InodeRecord& record, const Inode& inode) {
  transaction->PutRecord(slot.object, record, inode);
  ReachSlot(transaction, slot, record);
}

void PutNew(Transaction* transaction, Core& core, const Slot& slot, const InodeRecord& record) {
  transaction->batch().Put(core.meta(), slot.object, EncodeInode(record));
  ReachSlot(transaction, slot, record);
}

void PutReference(Transaction* transaction, Core& core, const Slot& slot, Inode* home, const Reference& reference) {
  WriteBatch& batch = transaction->batch();
  batch.Put(core.meta(), slot.object, EncodeReference(reference));
  batch.Put(core.meta(), GroupNameKey(core.ContentOf(*home), slot.object), EncodeGroupName(reference.id));
  home->has_groups = HasGroups::kSome;
  transaction->Reach(slot.directory, slot.name.size() + 1, 0);
}

void EraseName(Transaction* transaction, Core& core, const Slot& slot) {
  WriteBatch& batch = transaction->batch();
  batch.Erase(core.meta(), slot.object);
  if (slot.inode->place != InodePlace::kGroup) return;
  batch.Erase(core.meta(), GroupNameKey(core.ContentOf(*slot.inode->home), slot.object));
}

Removal DropObject(Transaction* transaction, Core& core, Inode* inode, uint32_t names) {
  Removal removal{inode, Fate::kStays, 0, {}};
  // A damaged record may count fewer names than are known.
  const bool is_last = inode->record.links <= names && inode->names.size() <= names;
  if (inode->place == InodePlace::kGroup && !is_last) {
    AttributeDelta delta;
    delta.links = -int64_t{names};
    delta.changed = transaction->now();
    transaction->Change(inode, delta);
    return removal;
  }
  removal.record = RecordIn(*inode, 0);
  removal.record.links = 0;
  removal.record.changed = transaction->now();
  const std::string object = core.ObjectOf(*inode);
  WriteBatch& batch = transaction->batch();
  if (inode->place == InodePlace::kGroup) batch.Erase(core.meta(), object);
  if (!inode->OutlivesNames()) {
    removal.fate = Fate::kGoes;
    EraseAttachments(&batch, core.data(), object, inode->record);
    return removal;
  }
  removal.fate = Fate::kBecomesOrphan;
  removal.orphan = transaction->FreshNumber();
  const std::string orphan = key::Orphan(removal.orphan);
  transaction->PutRecord(orphan, removal.record, *inode);
  MoveAttachments(&batch, core.data(), object, orphan, inode->record);
  return removal;
}

void ForgetName(Core& core, const Slot& slot) {
  core.inodes().RemoveName(slot.inode, slot.directory, slot.name);
  slot.directory->known_names.Remove(slot.name);
}

void Follow(Core& core, const Removal& removal) {
  Inode* const inode = removal.inode;
  if (removal.fate == Fate::kStays) return;
  inode->record = removal.record;
  if (removal.fate == Fate::kBecomesOrphan) {
    core.inodes().BecomeOrphan(inode, removal.orphan);
    return;
  }
  core.DropPending(*inode);
  core.inodes().BecomeGone(inode);
}

}  // namespace betr::fs
