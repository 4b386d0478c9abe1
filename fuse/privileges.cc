// SPDX-License-Identifier: Apache-2.0
#include "privileges.h"

#include <sys/stat.h>

namespace betr::fuse {

uint32_t WithoutPrivileges(const FileAttributes& attributes) {
  uint32_t permissions = attributes.permissions & ~static_cast<uint32_t>(S_ISUID);
  // Without execute permission for the group, the bit used to mean something else.
  if ((permissions & S_IXGRP) != 0) permissions &= ~static_cast<uint32_t>(S_ISGID);
  return permissions;
}

void DropPrivileges(FileSystem& fs, fuse_session* session, InodeId inode) {
  const absl::StatusOr<FileAttributes> attributes = fs.GetAttributes(inode);
  if (!attributes.ok() || attributes->type == FileType::kDirectory) return;
  const uint32_t permissions = WithoutPrivileges(*attributes);
  if (permissions == attributes->permissions) return;
  AttributeChange change;
  change.permissions = permissions;
  // If this fails, so does the request that follows.
  fs.SetAttributes(inode, change).IgnoreError();
  // Otherwise the kernel would go on showing the mode that it knows. It drops attributes without waiting for anything.
  fuse_lowlevel_notify_inval_inode(session, inode.value, -1, 0);
}

}  // namespace betr::fuse
