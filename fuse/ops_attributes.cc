// SPDX-License-Identifier: Apache-2.0
// Attributes and targets of symlinks.
#include "acl.h"
#include "operations.h"
#include "privileges.h"
#include "reply.h"

namespace betr::fuse {
namespace {

constexpr int kDropPrivileges = 1 << 11;  // FUSE_SET_ATTR_KILL_SUID of a libfuse that passes it on

void GetAttributes(fuse_req_t request, fuse_ino_t node, fuse_file_info*) {
  const absl::StatusOr<FileAttributes> attributes = ServerOf(request).fs().GetAttributes(ToInode(node));
  if (!attributes.ok()) return ReplyStatus(request, attributes.status(), "getattr");
  ReplyAttributes(request, *attributes);
}

FileTime ToFileTime(const timespec& time) { return {time.tv_sec, static_cast<uint32_t>(time.tv_nsec)}; }

AttributeChange ToChange(FileSystem& fs, const struct stat& wanted, int fields) {
  const auto has = [fields](int field) { return (fields & field) != 0; };
  AttributeChange change;
  if (has(FUSE_SET_ATTR_MODE)) change.permissions = wanted.st_mode & 07777;
  if (has(FUSE_SET_ATTR_UID)) change.uid = wanted.st_uid;
  if (has(FUSE_SET_ATTR_GID)) change.gid = wanted.st_gid;
  if (has(FUSE_SET_ATTR_SIZE)) change.size = static_cast<uint64_t>(wanted.st_size);
  if (has(FUSE_SET_ATTR_ATIME)) change.accessed = ToFileTime(wanted.st_atim);
  if (has(FUSE_SET_ATTR_MTIME)) change.modified = ToFileTime(wanted.st_mtim);
  if (has(FUSE_SET_ATTR_CTIME)) change.changed = ToFileTime(wanted.st_ctim);
  // One time for all, since programs compare them. With `writeback` the kernel sends its own.
  const bool accessed_now = has(FUSE_SET_ATTR_ATIME_NOW);
  const bool modified_now = has(FUSE_SET_ATTR_MTIME_NOW);
  if (accessed_now || modified_now) {
    const FileTime now = change.changed ? *change.changed : fs.Now();
    change.changed = now;
    if (accessed_now) change.accessed = now;
    if (modified_now) change.modified = now;
  }
  return change;
}

// Clears the set-id bits on a change of owner, unless the mode is given too.
absl::Status DropForNewOwner(FileSystem& fs, InodeId inode, AttributeChange* change) {
  if ((!change->uid && !change->gid) || change->permissions) return absl::OkStatus();
  const absl::StatusOr<FileAttributes> attributes = fs.GetAttributes(inode);
  if (!attributes.ok()) return attributes.status();
  const uint32_t permissions = WithoutPrivileges(*attributes);
  if (attributes->type != FileType::kDirectory && permissions != attributes->permissions) {
    change->permissions = permissions;
  }
  return absl::OkStatus();
}

void SetAttributes(fuse_req_t request, fuse_ino_t node, struct stat* wanted, int fields, fuse_file_info*) {
  Server& server = ServerOf(request);
  if ((fields & kDropPrivileges) != 0) {
    const absl::Status dropped = DropPrivileges(server.fs(), server.session(), ToInode(node));
    if (!dropped.ok()) return ReplyStatus(request, dropped, "setattr");
  }
  AttributeChange change = ToChange(server.fs(), *wanted, fields);
  if (const absl::Status status = DropForNewOwner(server.fs(), ToInode(node), &change); !status.ok()) {
    return ReplyStatus(request, status, "setattr");
  }
  // This comes first, since it may find no space, and since it changes the time that is answered.
  if (change.permissions && server.settings().acl) {
    const absl::Status followed = FollowMode(server.fs(), ToInode(node), *change.permissions);
    if (!followed.ok()) return ReplyStatus(request, followed, "setattr");
  }
  const absl::StatusOr<FileAttributes> attributes = server.fs().SetAttributes(ToInode(node), change);
  if (!attributes.ok()) return ReplyStatus(request, attributes.status(), "setattr");
  ReplyAttributes(request, *attributes);
}

void ReadLink(fuse_req_t request, fuse_ino_t node) {
  const absl::StatusOr<std::string> target = ServerOf(request).fs().ReadLink(ToInode(node));
  if (!target.ok()) return ReplyStatus(request, target.status(), "readlink");
  fuse_reply_readlink(request, target->c_str());
}

}  // namespace

void AddAttributeOperations(fuse_lowlevel_ops* ops) {
  ops->getattr = GetAttributes;
  ops->setattr = SetAttributes;
  ops->readlink = ReadLink;
}

}  // namespace betr::fuse
