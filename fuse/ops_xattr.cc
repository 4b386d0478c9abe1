// SPDX-License-Identifier: Apache-2.0
// Extended attributes, ACLs among them, and the one that makes clones.
#include <sys/xattr.h>

#include <cerrno>

#include "acl.h"
#include "base/status.h"
#include "betr/mount_ioctl.h"
#include "cloner.h"
#include "operations.h"
#include "reply.h"

namespace betr::fuse {
namespace {

bool IsAcl(std::string_view name) { return name == kAccessAcl || name == kDefaultAcl; }

// Answers at once what the mount was told not to have. After ENOSYS the kernel does not ask again.
bool IsRefused(fuse_req_t request, std::string_view name) {
  const ServerSettings& settings = ServerOf(request).settings();
  const bool refused = !settings.xattrs || (IsAcl(name) && !settings.acl);
  if (refused) fuse_reply_err(request, settings.xattrs ? EOPNOTSUPP : ENOSYS);
  return refused;
}

// Answers with a value, or with its size if the caller has room for nothing.
void ReplyValue(fuse_req_t request, std::string_view value, size_t room) {
  if (room == 0) {
    fuse_reply_xattr(request, value.size());
  } else if (room < value.size()) {
    fuse_reply_err(request, ERANGE);
  } else {
    fuse_reply_buf(request, value.data(), value.size());
  }
}

// Refuses names that other file systems never see: the kernel passes every name on to a FUSE server.
absl::Status CheckName(std::string_view name) {
  if (IsAcl(name)) return absl::OkStatus();
  for (const std::string_view prefix : {"user.", "trusted.", "security."}) {
    if (name.starts_with(prefix)) return name == prefix ? ErrnoError(EINVAL, name) : absl::OkStatus();
  }
  return ErrnoError(EOPNOTSUPP, name);
}

// Reads an xattr. Whatever name it has can be read and removed, since a tool that writes images may have chosen it.
absl::StatusOr<std::string> Get(FileSystem& fs, InodeId inode, std::string_view name) {
  absl::StatusOr<std::string> value = fs.GetXattr(inode, name);
  if (ToErrno(value.status()) == ENODATA) BETR_RETURN_IF_ERROR(CheckName(name));
  return value;
}

void GetXattr(fuse_req_t request, fuse_ino_t node, const char* name, size_t room) {
  if (IsRefused(request, name)) return;
  const absl::StatusOr<std::string> value = Get(ServerOf(request).fs(), ToInode(node), name);
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

XattrMode ModeOf(int flags) {
  if (flags == XATTR_CREATE) return XattrMode::kCreate;
  return flags == XATTR_REPLACE ? XattrMode::kReplace : XattrMode::kAny;
}

absl::Status Set(FileSystem& fs, InodeId inode, std::string_view name, std::string_view value, int flags) {
  BETR_RETURN_IF_ERROR(CheckName(name));
  if (name == kAccessAcl) return SetAccessAcl(fs, inode, value);
  if (name == kDefaultAcl) {
    const absl::StatusOr<FileAttributes> attributes = fs.GetAttributes(inode);
    if (!attributes.ok()) return attributes.status();
    if (attributes->type != FileType::kDirectory) return ErrnoError(EACCES, "default ACL of a file");
  }
  if (flags == (XATTR_CREATE | XATTR_REPLACE)) {  // one of them is always in the way
    const absl::Status found = fs.GetXattr(inode, name).status();
    return found.ok() ? ErrnoError(EEXIST, name) : found;
  }
  return fs.SetXattr(inode, name, value, ModeOf(flags));
}

void SetXattr(fuse_req_t request, fuse_ino_t node, const char* name, const char* value, size_t size, int flags) {
  if (IsRefused(request, name)) return;
  Server& server = ServerOf(request);
  const std::string_view bytes(value, size);
  if (name == std::string_view(BETR_CLONE_XATTR)) return server.cloner().CloneToPath(request, ToInode(node), bytes);
  const absl::Status status = Set(server.fs(), ToInode(node), name, bytes, flags);
  if (status.ok()) server.OutdateAnswers(ToInode(node));
  ReplyStatus(request, status, "setxattr");
}

absl::Status Remove(FileSystem& fs, InodeId inode, std::string_view name) {
  absl::Status removed = fs.RemoveXattr(inode, name);
  if (ToErrno(removed) != ENODATA) return removed;
  BETR_RETURN_IF_ERROR(CheckName(name));
  // Everything has an access list, if only its mode. A directory need not have a default list.
  return IsAcl(name) ? absl::OkStatus() : removed;
}

void RemoveXattr(fuse_req_t request, fuse_ino_t node, const char* name) {
  if (IsRefused(request, name)) return;
  Server& server = ServerOf(request);
  const absl::Status status = Remove(server.fs(), ToInode(node), name);
  if (status.ok()) server.OutdateAnswers(ToInode(node));
  ReplyStatus(request, status, "removexattr");
}

}  // namespace

void AddXattrOperations(fuse_lowlevel_ops* ops) {
  ops->getxattr = GetXattr;
  ops->listxattr = ListXattrs;
  ops->setxattr = SetXattr;
  ops->removexattr = RemoveXattr;
}

}  // namespace betr::fuse
