// SPDX-License-Identifier: Apache-2.0
// Renaming: an entry moves. What belongs to its object follows by range renames, whatever its size.
#include <cerrno>
#include <memory>
#include <vector>

#include "base/status.h"
#include "fs/key.h"
#include "fs/link_groups.h"
#include "fs/move.h"
#include "fs/mover.h"
#include "fs/names.h"
#include "fs/place.h"
#include "fs/reach.h"
#include "fs/zones.h"

namespace betr::fs {
namespace {

// Checks POSIX's conditions on what is moved and what it replaces. Reads only whether a directory is empty.
absl::Status CheckReplace(Core& core, const Slot& from, const Slot& to) {
  if (from.inode->IsDirectory() && IsBelow(*to.directory, *from.inode)) {
    return ErrnoError(EINVAL, "a directory into itself");
  }
  if (to.inode == nullptr) return absl::OkStatus();
  if (to.inode->IsDirectory() && IsBelow(*from.directory, *to.inode)) return ErrnoError(ENOTEMPTY, to.name);
  if (from.inode->IsDirectory() && !to.inode->IsDirectory()) return ErrnoError(ENOTDIR, to.name);
  if (!from.inode->IsDirectory() && to.inode->IsDirectory()) return ErrnoError(EISDIR, to.name);
  if (!to.inode->IsDirectory()) return absl::OkStatus();
  BETR_ASSIGN_OR_RETURN(const bool empty, core.IsEmpty(*to.inode));
  return empty ? absl::OkStatus() : ErrnoError(ENOTEMPTY, to.name);
}

// Checks what is to take the old name. It must be a record and nothing else.
absl::Status CheckLeft(const NewFile& left, RenameMode mode) {
  const bool is_plain = left.type != FileType::kDirectory && left.type != FileType::kSymlink && left.xattrs.empty();
  if (mode == RenameMode::kExchange || !is_plain || ModeBits(left.type) == 0) {
    return ErrnoError(EINVAL, "what takes the old name");
  }
  return absl::OkStatus();
}

// What belongs to the object of `from`, but for its record.
std::vector<PrefixMove> MovesOf(Core& core, const Slot& from, const Slot& to, bool has_members) {
  std::vector<PrefixMove> moves;
  const Inode& inode = *from.inode;
  if (inode.place == InodePlace::kGroup) return moves;
  if (inode.record.HasAttachments()) {
    moves.push_back({core.data(), key::Attachments(from.object), key::Attachments(to.object)});
  }
  if (!HasContent(inode)) return moves;
  const std::string from_content = core.ContentOf(inode);
  const std::string to_content = key::Content(to.content, to.name);
  if (has_members) {
    const std::string home = core.ContentOf(core.HomeOf(*from.directory));
    moves.push_back({core.meta(), GroupNameKey(home, from_content), GroupNameKey(home, to_content)});
  }
  for (const TreeId tree : {core.meta(), core.data()}) moves.push_back({tree, from_content, to_content});
  return moves;
}

// Adds that the object of `from`, and everything below it, gets the name `to`. Returns its record there.
InodeRecord MoveObject(Transaction* transaction, Core& core, const Slot& from, const Slot& to, Mover* mover) {
  Inode* const inode = from.inode;
  EraseName(transaction, core, from);
  if (inode->place == InodePlace::kGroup) {
    AttributeDelta delta;
    delta.changed = transaction->now();
    transaction->Change(inode, delta);
    PutReference(transaction, core, to, inode->home, {inode->record.type, inode->group});
    return inode->record;
  }
  InodeRecord record = RecordIn(*inode, to.directory->context);
  record.changed = transaction->now();
  PutNamed(transaction, to, record, *inode);
  mover->AddTo(&transaction->batch());
  return record;
}

// The inode in memory gets its new name.
void FollowMove(Core& core, const Slot& from, const Slot& to, const InodeRecord& record) {
  Inode* const inode = from.inode;
  core.inodes().AddName(inode, to.directory, to.name);
  if (inode->place == InodePlace::kNamed) inode->record = record;
}

absl::Status Replace(Core& core, const Slot& from, Slot to, const NewFile* left) {
  BETR_RETURN_IF_ERROR(CheckReplace(core, from, to));
  BETR_RETURN_IF_ERROR(CheckMove(core, from, to));
  BETR_RETURN_IF_ERROR(MakeZoneIfLarge(core, *from.inode));
  BETR_ASSIGN_OR_RETURN(const bool has_members, PrepareLinks(core, from, to.directory));
  BETR_ASSIGN_OR_RETURN(const std::unique_ptr<Mover> mover, NewMover(&core, MovesOf(core, from, to, has_members)));
  BETR_RETURN_IF_ERROR(mover->Prepare(&to));
  Transaction transaction(&core);
  Removal removal;
  if (to.inode != nullptr) {
    EraseName(&transaction, core, to);
    removal = DropObject(&transaction, core, to.inode);
  }
  const InodeRecord record = MoveObject(&transaction, core, from, to, mover.get());
  if (left != nullptr) {
    PutNew(&transaction, core, from,
           NewRecord(*left, from.directory->record, transaction.now(), transaction.FreshNumber()));
  }
  const int moved = from.inode->IsDirectory() ? 1 : 0;
  const int replaced = to.inode != nullptr && to.inode->IsDirectory() ? 1 : 0;
  transaction.TouchDirectory(from.directory, -moved);
  transaction.TouchDirectory(to.directory, moved - replaced);
  BETR_RETURN_IF_ERROR(transaction.Commit());

  if (to.inode != nullptr) {
    ForgetName(core, to);
    Follow(core, removal);
  }
  ForgetName(core, from);
  FollowMove(core, from, to, record);
  to.directory->known_names.Add(to.name);
  if (left != nullptr) {
    from.directory->known_names.Add(from.name);
    core.CountArrival(from.directory->record.uid);
  }
  return mover->Finish();
}

}  // namespace

absl::Status Rename(Core& core, Inode& from_directory, std::string_view from_name, Inode& to_directory,
                    std::string_view to_name, RenameMode mode, const NewFile* left, const StickyCheck& check) {
  for (const std::string_view name : {from_name, to_name}) {
    if (name == "." || name == "..") return ErrnoError(EBUSY, name);
  }
  if (left != nullptr) BETR_RETURN_IF_ERROR(CheckLeft(*left, mode));
  BETR_RETURN_IF_ERROR(CheckDirectory(to_directory));
  BETR_ASSIGN_OR_RETURN(const Slot from, FindTakenSlot(core, from_directory, from_name));
  BETR_ASSIGN_OR_RETURN(const Slot to, FindSlot(core, to_directory, to_name));
  if (mode == RenameMode::kNoReplace && to.inode != nullptr) return ErrnoError(EEXIST, to_name);
  if (mode == RenameMode::kExchange && to.inode == nullptr) return ErrnoError(ENOENT, to_name);
  if (from.inode == to.inode) return absl::OkStatus();
  BETR_RETURN_IF_ERROR(CheckSticky(from, check));
  if (to.inode != nullptr) BETR_RETURN_IF_ERROR(CheckSticky(to, check));
  core.CountMove(*from.inode);
  if (to.inode != nullptr) core.CountMove(*to.inode);
  CountArrival(core, *from.inode, to_directory);
  if (mode == RenameMode::kExchange) CountArrival(core, *to.inode, from_directory);
  return mode == RenameMode::kExchange ? Exchange(core, from, to) : Replace(core, from, to, left);
}

}  // namespace betr::fs
