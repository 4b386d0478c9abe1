// SPDX-License-Identifier: Apache-2.0
#include "remove_rights.h"

#include <sys/stat.h>

#include <cerrno>

#include "base/status.h"
#include "capabilities.h"

namespace betr::fuse {
namespace {

// As the kernel has it.
bool MayTakeSticky(uint32_t caller, uint32_t directory_owner, uint32_t owner) {
  return caller == owner || caller == directory_owner;
}

absl::Status StickyError() { return ErrnoError(EPERM, "somebody else's name in a sticky directory"); }

absl::Status CheckSticky(FileSystem& fs, const Caller& caller, InodeId directory, const FileAttributes& victim) {
  BETR_ASSIGN_OR_RETURN(const FileAttributes attributes, fs.GetAttributes(directory));
  const bool is_sticky = (attributes.permissions & S_ISVTX) != 0;
  return !is_sticky || MayTakeSticky(caller.uid, attributes.uid, victim.uid) ? absl::OkStatus() : StickyError();
}

absl::Status CheckOwns(const Caller& caller, const FileAttributes& directory) {
  if (directory.uid != caller.uid) return ErrnoError(EPERM, "a directory of somebody else");
  const bool may_all = (directory.permissions & S_IRWXU) == S_IRWXU;
  return may_all ? absl::OkStatus() : ErrnoError(EACCES, "permissions of a directory");
}

}  // namespace

betr::fs::StickyCheck StickyCheckFor(fuse_req_t request) {
  const fuse_ctx* const caller = fuse_req_ctx(request);
  if (caller->uid == 0) return {};
  return [uid = caller->uid, thread = caller->pid](uint32_t directory_owner, const FileAttributes& victim) {
    if (MayTakeSticky(uid, directory_owner, victim.uid)) return absl::OkStatus();
    return ActsAsOwner(thread, victim.uid, victim.gid) ? absl::OkStatus() : StickyError();
  };
}

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
