// SPDX-License-Identifier: Apache-2.0
#include "acl.h"

#include <cerrno>

#include "base/status.h"

namespace betr::fuse {

absl::Status SetAccessAcl(FileSystem& fs, InodeId inode, std::string_view value) {
  BETR_ASSIGN_OR_RETURN(const Acl acl, Acl::Decode(value));
  BETR_ASSIGN_OR_RETURN(const FileAttributes attributes, fs.GetAttributes(inode));
  AttributeChange change;
  change.permissions = (attributes.permissions & ~0777U) | acl.Permissions();
  if (acl.IsMode()) {
    // The mode comes first. Without the list, bits of the group that were its mask would be the group's own, and
    // without space the list can be removed, but the mode not changed.
    BETR_RETURN_IF_ERROR(fs.SetAttributes(inode, change).status());
    return fs::RemoveAccessAcl(fs, inode);
  }
  BETR_RETURN_IF_ERROR(fs.SetXattr(inode, kAccessAcl, value));
  return fs.SetAttributes(inode, change).status();
}

absl::Status FollowMode(FileSystem& fs, InodeId inode, uint32_t permissions) {
  const absl::StatusOr<std::string> value = fs.GetXattr(inode, kAccessAcl);
  if (!value.ok()) return ToErrno(value.status()) == ENODATA ? absl::OkStatus() : value.status();
  BETR_ASSIGN_OR_RETURN(Acl acl, Acl::Decode(*value));
  acl.SetPermissions(permissions);
  return fs.SetXattr(inode, kAccessAcl, acl.Encode());
}

}  // namespace betr::fuse
