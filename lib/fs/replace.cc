// SPDX-License-Identifier: Apache-2.0
#include "fs/replace.h"

#include <cerrno>

#include "base/status.h"
#include "betr/fs_error.h"
#include "betr/path_filesystem.h"

namespace betr::fs {

absl::Status CheckReplaces(bool was_directory, bool is_directory) {
  if (was_directory == is_directory) return absl::OkStatus();
  return was_directory ? ErrnoError(EISDIR, "cannot replace a directory by what is none")
                       : ErrnoError(ENOTDIR, "cannot replace what is no directory by one");
}

absl::StatusOr<Entry> CreateOrReplace(FileSystem* fs, InodeId parent, std::string_view name, const NewFile& file) {
  absl::StatusOr<Entry> entry = fs->Create(parent, name, file);
  if (ToErrno(entry.status()) != EEXIST) return entry;
  const bool is_directory = file.type == FileType::kDirectory;
  BETR_ASSIGN_OR_RETURN(const Entry old, fs->Lookup(parent, name));
  const bool was_directory = old.attributes.type == FileType::kDirectory;
  if (was_directory && is_directory) return old;
  fs->Forget(old.inode);
  BETR_RETURN_IF_ERROR(CheckReplaces(was_directory, is_directory));
  BETR_RETURN_IF_ERROR(fs->Unlink(parent, name));
  return fs->Create(parent, name, file);
}

absl::Status LinkOrReplace(FileSystem* fs, InodeId inode, InodeId parent, std::string_view name) {
  absl::StatusOr<Entry> entry = fs->Link(inode, parent, name);
  if (ToErrno(entry.status()) == EEXIST) {
    BETR_ASSIGN_OR_RETURN(const Entry old, fs->Lookup(parent, name));
    fs->Forget(old.inode);
    BETR_RETURN_IF_ERROR(CheckReplaces(old.attributes.type == FileType::kDirectory, false));
    BETR_ASSIGN_OR_RETURN(const FileAttributes linked, fs->GetAttributes(inode));
    if (old.attributes.inode_number == linked.inode_number) return absl::OkStatus();
    BETR_RETURN_IF_ERROR(fs->Unlink(parent, name));
    entry = fs->Link(inode, parent, name);
  }
  if (!entry.ok()) return entry.status();
  fs->Forget(entry->inode);
  return absl::OkStatus();
}

}  // namespace betr::fs
