// SPDX-License-Identifier: Apache-2.0
// Extended attributes, ACLs among them, and the one that makes clones.
#include <sys/xattr.h>

#include <cerrno>

#include "acl.h"
#include "betr/mount_ioctl.h"
#include "cloner.h"
#include "operations.h"
#include "reply.h"

namespace betr::fuse {
namespace {

bool IsAcl(std::string_view name) { return name == kAccessAcl || name == kDefaultAcl; }

// What the mount was told not to have, answered at once. With ENOSYS the kernel does not ask again.
bool IsRefused(fuse_req_t request, std::string_view name) {
  const ServerSettings& settings = ServerOf(request).settings();
  const bool refused = !settings.xattrs || (IsAcl(name) && !settings.acl);
  if (refused) fuse_reply_err(request, settings.xattrs ? EOPNOTSUPP : ENOSYS);
  return refused;
}

// To whoever asks with room for nothing the size is told.
void ReplyValue(fuse_req_t request, std::string_view value, size_t room) {
  if (room == 0) {
    fuse_reply_xattr(request, value.size());
  } else if (room < value.size()) {
    fuse_reply_err(request, ERANGE);
  } else {
    fuse_reply_buf(request, value.data(), value.size());
  }
}

void GetXattr(fuse_req_t request, fuse_ino_t node, const char* name, size_t room) {
  if (IsRefused(request, name)) return;
  const absl::StatusOr<std::string> value = ServerOf(request).fs().GetXattr(ToInode(node), name);
  if (!value.ok()) return ReplyStatus(request, value.status(), "getxattr");
  ReplyValue(request, *value, room);
}

void ListXattrs(fuse_req_t request, fuse_ino_t node, size_t room) {
  if (IsRefused(request, "")) return;
  const absl::StatusOr<std::vector<std::string>> names = ServerOf(request).fs().ListXattrs(ToInode(node));
  if (!names.ok()) return ReplyStatus(request, names.status(), "listxattr");
  std::string all;
  for (const std::string& name : *names) all.append(name).push_back('\0');
  ReplyValue(request, all, room);
}

// The kernel hands everything on to a FUSE server.
bool IsInNamespace(std::string_view name) {
  return name.starts_with("user.") || name.starts_with("trusted.") || name.starts_with("security.") || IsAcl(name);
}

XattrMode ModeOf(int flags) {
  if (flags == XATTR_CREATE) return XattrMode::kCreate;
  return flags == XATTR_REPLACE ? XattrMode::kReplace : XattrMode::kAny;
}

absl::Status Set(FileSystem& fs, InodeId inode, std::string_view name, std::string_view value, int flags) {
  if (!IsInNamespace(name)) return ErrnoError(EOPNOTSUPP, name);
  if (name == kAccessAcl) return SetAccessAcl(fs, inode, value);
  if (name == kDefaultAcl) {
    const absl::StatusOr<FileAttributes> attributes = fs.GetAttributes(inode);
    if (!attributes.ok()) return attributes.status();
    if (attributes->type != FileType::kDirectory) return ErrnoError(EACCES, "default ACL of a file");
  }
  return fs.SetXattr(inode, name, value, ModeOf(flags));
}

void SetXattr(fuse_req_t request, fuse_ino_t node, const char* name, const char* value, size_t size, int flags) {
  if (IsRefused(request, name)) return;
  Server& server = ServerOf(request);
  const std::string_view bytes(value, size);
  if (name == std::string_view(BETR_CLONE_XATTR)) return server.cloner().CloneToPath(request, ToInode(node), bytes);
  ReplyStatus(request, Set(server.fs(), ToInode(node), name, bytes, flags), "setxattr");
}

void RemoveXattr(fuse_req_t request, fuse_ino_t node, const char* name) {
  if (IsRefused(request, name)) return;
  ReplyStatus(request, ServerOf(request).fs().RemoveXattr(ToInode(node), name), "removexattr");
}

}  // namespace

void AddXattrOperations(fuse_lowlevel_ops* ops) {
  ops->getxattr = GetXattr;
  ops->listxattr = ListXattrs;
  ops->setxattr = SetXattr;
  ops->removexattr = RemoveXattr;
}

}  // namespace betr::fuse
