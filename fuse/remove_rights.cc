// SPDX-License-Identifier: Apache-2.0
#include "remove_rights.h"

#include <sys/stat.h>

#include <cerrno>

#include "base/status.h"

namespace betr::fuse {
namespace {

absl::Status CheckSticky(FileSystem& fs, const Caller& caller, InodeId directory, const FileAttributes& victim) {
  BETR_ASSIGN_OR_RETURN(const FileAttributes attributes, fs.GetAttributes(directory));
  const bool is_sticky = (attributes.permissions & S_ISVTX) != 0;
  if (!is_sticky || attributes.uid == caller.uid || victim.uid == caller.uid) return absl::OkStatus();
  return ErrnoError(EPERM, "somebody else's name in a sticky directory");
}

absl::Status CheckOwns(const Caller& caller, const FileAttributes& directory) {
  if (directory.uid != caller.uid) return ErrnoError(EPERM, "a directory of somebody else");
  const bool may_all = (directory.permissions & S_IRWXU) == S_IRWXU;
  return may_all ? absl::OkStatus() : ErrnoError(EACCES, "permissions of a directory");
}

}  // namespace

absl::Status CheckMayRemove(FileSystem& fs, const Caller& caller, InodeId directory, const Entry& victim) {
  if (caller.IsRoot()) return absl::OkStatus();
  BETR_RETURN_IF_ERROR(CheckMayCreate(fs, caller, directory));
  BETR_RETURN_IF_ERROR(CheckSticky(fs, caller, directory, victim.attributes));
  if (victim.attributes.type != FileType::kDirectory) return absl::OkStatus();
  BETR_RETURN_IF_ERROR(CheckOwns(caller, victim.attributes));
  return CheckAllBelow(fs, victim.inode, [&](const FileAttributes& attributes) {
    return attributes.type == FileType::kDirectory ? CheckOwns(caller, attributes) : absl::OkStatus();
  });
}

}  // namespace betr::fuse
