// SPDX-License-Identifier: Apache-2.0
#include "privileges.h"

#include <sys/stat.h>

#include "base/status.h"

namespace betr::fuse {

uint32_t WithoutPrivileges(const FileAttributes& attributes) {
  uint32_t permissions = attributes.permissions & ~static_cast<uint32_t>(S_ISUID);
  // Without execute permission for the group, the bit used to mean something else.
  if ((permissions & S_IXGRP) != 0) permissions &= ~static_cast<uint32_t>(S_ISGID);
  return permissions;
}

absl::Status DropPrivileges(FileSystem& fs, fuse_session* session, InodeId inode) {
  BETR_ASSIGN_OR_RETURN(const FileAttributes attributes, fs.GetAttributes(inode));
  const uint32_t permissions = WithoutPrivileges(attributes);
  if (attributes.type == FileType::kDirectory || permissions == attributes.permissions) return absl::OkStatus();
  AttributeChange change;
  change.permissions = permissions;
  BETR_RETURN_IF_ERROR(fs.SetAttributes(inode, change).status());
  // Otherwise the kernel would go on showing the mode that it knows. It drops attributes without waiting for anything.
  fuse_lowlevel_notify_inval_inode(session, inode.value, -1, 0);
  return absl::OkStatus();
}

}  // namespace betr::fuse
