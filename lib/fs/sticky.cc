// SPDX-License-Identifier: Apache-2.0
#include "fs/sticky.h"

#include <sys/stat.h>

#include "base/status.h"
#include "fs/filesystem_impl.h"
#include "fs/names.h"

namespace betr::fs {

absl::Status CheckSticky(const Slot& slot, const StickyCheck& check) {
  const InodeRecord& directory = slot.directory->record;
  if (!check || (directory.permissions & S_ISVTX) == 0) return absl::OkStatus();
  return check(directory.uid, AttributesOf(*slot.inode));
}

absl::Status UnlinkChecked(FileSystem* fs, InodeId parent, std::string_view name, const StickyCheck& check) {
  FsSession session(fs->impl());
  BETR_ASSIGN_OR_RETURN(Inode* const directory, session.Find(parent));
  return Repeated([&] { return Unlink(session.core(), *directory, name, check); });
}

absl::Status RemoveDirectoryChecked(FileSystem* fs, InodeId parent, std::string_view name, const StickyCheck& check) {
  FsSession session(fs->impl());
  BETR_ASSIGN_OR_RETURN(Inode* const directory, session.Find(parent));
  return Repeated([&] { return RemoveDirectory(session.core(), *directory, name, check); });
}

absl::Status RenameChecked(FileSystem* fs, InodeId from_parent, std::string_view from_name, InodeId to_parent,
                           std::string_view to_name, RenameMode mode, const NewFile* left, const StickyCheck& check) {
  FsSession session(fs->impl());
  BETR_ASSIGN_OR_RETURN(Inode* const from, session.Find(from_parent));
  BETR_ASSIGN_OR_RETURN(Inode* const to, session.Find(to_parent));
  return Repeated([&] { return Rename(session.core(), *from, from_name, *to, to_name, mode, left, check); });
}

}  // namespace betr::fs
