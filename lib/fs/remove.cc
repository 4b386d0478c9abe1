// SPDX-License-Identifier: Apache-2.0
#include <absl/cleanup/cleanup.h>

#include <algorithm>
#include <cerrno>

#include "base/status.h"
#include "fs/block_io.h"
#include "fs/key.h"
#include "fs/known_names.h"
#include "fs/link_groups.h"
#include "fs/names.h"
#include "fs/place.h"
#include "fs/set_aside.h"
#include "fs/zones.h"

namespace betr::fs {
namespace {

// Adds that nothing is under a content prefix. Also used for a directory that is empty: what has been removed there one
// by one is then covered by one message, which frees whole nodes, and its own messages need not move on.
void EraseContent(Transaction* transaction, Core& core, const std::string& content) {
  transaction->batch().EraseRange(core.meta(), Range::Prefix(content));
  transaction->batch().EraseRange(core.data(), Range::Prefix(content));
}

// Adds that what is below a directory, under `contents`, goes. Files that outlive their names become orphans. Requires:
// no name below refers to a group outside.
std::vector<Removal> DropContent(Transaction* transaction, Core& core, const Inode& directory,
                                 const std::vector<std::string>& contents) {
  std::vector<Removal> removals;
  for (Inode* inode : InodesBelow(directory)) {
    if (inode->place == InodePlace::kGroup && !IsBelow(*inode->home, directory)) {
      removals.push_back({inode, Fate::kStays, 0, {}});
    } else if (inode->OutlivesNames()) {
      const auto known = static_cast<uint32_t>(inode->names.size());
      removals.push_back(DropObject(transaction, core, inode, std::max(inode->record.links, known)));
    } else {
      removals.push_back({inode, Fate::kGoes, 0, RecordIn(*inode, 0)});
      removals.back().record.links = 0;
    }
  }
  for (const std::string& content : contents) EraseContent(transaction, core, content);
  return removals;
}

void FollowContent(Core& core, const std::vector<Removal>& removals) {
  for (auto removal = removals.rbegin(); removal != removals.rend(); ++removal) {
    Inode* const inode = removal->inode;
    while (!inode->names.empty()) {
      const InodeName name = inode->names.back();
      core.inodes().RemoveName(inode, name.directory, name.name);
    }
    Follow(core, *removal);
  }
}

// Removes what is in a slot, in a transaction that has dropped its content.
absl::Status RemoveSlot(Transaction* transaction, Core& core, const Slot& slot,
                        const std::vector<Removal>& content = {}) {
  EraseName(transaction, core, slot);
  const Removal removal = DropObject(transaction, core, slot.inode);
  transaction->TouchDirectory(slot.directory, slot.inode->IsDirectory() ? -1 : 0);
  BETR_RETURN_IF_ERROR(transaction->Commit());
  FollowContent(core, content);
  ForgetName(core, slot);
  Follow(core, removal);
  return absl::OkStatus();
}

// Removes a slot's directory with all that is in it.
absl::Status RemoveSlotTree(Core& core, const Slot& slot) {
  Inode* const victim = slot.inode;
  BETR_ASSIGN_OR_RETURN(const std::vector<std::string> contents, ContentsBelow(core, *victim));
  // If this does not come to its end, names are gone of which no inode in memory knows.
  const absl::Cleanup forget_names = [victim] {
    victim->known_names.Forget();
    for (Inode* const inode : InodesBelow(*victim)) inode->known_names.Forget();
  };
  BETR_RETURN_IF_ERROR(UnlinkMembers(core, *victim, contents));
  BETR_RETURN_IF_ERROR(SetAsideOpenFiles(core, *victim));
  Transaction transaction(&core);
  transaction.batch().MayUseReserve();
  const std::vector<Removal> content = DropContent(&transaction, core, *victim, contents);
  return RemoveSlot(&transaction, core, slot, content);
}

}  // namespace

absl::Status Unlink(Core& core, Inode& directory, std::string_view name, const StickyCheck& check) {
  if (name == "." || name == "..") return ErrnoError(EISDIR, name);
  BETR_ASSIGN_OR_RETURN(const Slot slot, FindTakenSlot(core, directory, name));
  if (slot.inode->IsDirectory()) return ErrnoError(EISDIR, name);
  BETR_RETURN_IF_ERROR(CheckSticky(slot, check));
  Transaction transaction(&core);
  transaction.batch().MayUseReserve();
  return RemoveSlot(&transaction, core, slot);
}

absl::Status RemoveDirectory(Core& core, Inode& directory, std::string_view name, const StickyCheck& check) {
  BETR_ASSIGN_OR_RETURN(const Slot slot, FindTakenSlot(core, directory, name));
  Inode* const victim = slot.inode;
  if (!victim->IsDirectory()) return ErrnoError(ENOTDIR, name);
  BETR_RETURN_IF_ERROR(CheckSticky(slot, check));
  BETR_ASSIGN_OR_RETURN(const bool empty, core.IsEmpty(*victim));
  if (!empty) return ErrnoError(ENOTEMPTY, name);
  Transaction transaction(&core);
  transaction.batch().MayUseReserve();
  EraseContent(&transaction, core, core.ContentOf(*victim));
  return RemoveSlot(&transaction, core, slot);
}

absl::Status RemoveTree(Core& core, Inode& directory, std::string_view name, RemovedTree* removed,
                        const SeenTree* seen) {
  BETR_ASSIGN_OR_RETURN(const Slot slot, FindTakenSlot(core, directory, name));
  if (seen != nullptr && (seen->top != slot.inode->id || seen->directory_moves != core.directory_moves())) {
    return ErrnoError(EAGAIN, name);
  }
  const auto remove = [&] {
    return slot.inode->IsDirectory() ? RemoveSlotTree(core, slot) : Unlink(core, directory, name);
  };
  if (removed == nullptr) return remove();
  const KnownNames known(core, slot);
  absl::Status status = remove();
  known.AddTaken(core, removed);
  return status;
}

absl::Status ReclaimOrphan(Core& core, Inode& inode) {
  const std::string object = core.ObjectOf(inode);
  Transaction transaction(&core);
  transaction.batch().MayUseReserve();
  transaction.batch().Erase(core.meta(), object);
  EraseAttachments(&transaction.batch(), core.data(), object, inode.record);
  BETR_RETURN_IF_ERROR(transaction.Commit());
  core.DropPending(inode);
  core.inodes().BecomeGone(&inode);
  return absl::OkStatus();
}

}  // namespace betr::fs
