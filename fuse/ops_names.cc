// SPDX-License-Identifier: Apache-2.0
// Names: finding, making, removing and moving them.
#include <fcntl.h>
#include <linux/fs.h>

#include <cerrno>

#include "base/status.h"
#include "fs/sticky.h"
#include "new_file.h"
#include "operations.h"
#include "remove_rights.h"
#include "reply.h"

namespace betr::fuse {
namespace {

absl::StatusOr<Entry> Find(fuse_req_t request, InodeId directory, const char* name) {
  Server& server = ServerOf(request);
  while (true) {
    absl::StatusOr<Entry> entry = server.fs().Lookup(directory, name);
    if (!entry.ok() || !server.retries().IsExpected(fuse_req_ctx(request)->pid)) return entry;
    if (server.fs().Keep(entry->inode).ok()) return entry;
    // Another file has got the name since, or none has it.
    server.fs().Forget(entry->inode);
  }
}

void Lookup(fuse_req_t request, fuse_ino_t parent, const char* name) {
  const absl::StatusOr<Entry> entry = Find(request, ToInode(parent), name);
  if (entry.ok()) return ReplyEntry(request, *entry);
  if (ToErrno(entry.status()) != ENOENT) return ReplyStatus(request, entry.status(), "lookup");
  fuse_entry_param absent{};
  absent.entry_timeout = kForever;
  fuse_reply_entry(request, &absent);
}

void Forget(fuse_req_t request, fuse_ino_t node, uint64_t references) {
  ServerOf(request).fs().Forget(ToInode(node), references);
  fuse_reply_none(request);
}

void ForgetMany(fuse_req_t request, size_t count, fuse_forget_data* forgets) {
  FileSystem& fs = ServerOf(request).fs();
  for (size_t i = 0; i < count; ++i) fs.Forget(ToInode(forgets[i].ino), forgets[i].nlookup);
  fuse_reply_none(request);
}

void Make(fuse_req_t request, fuse_ino_t parent, const char* name, uint32_t mode, uint64_t device, const char* what) {
  const absl::StatusOr<Entry> entry = MakeFile(request, ToInode(parent), name, mode, device);
  if (!entry.ok()) return ReplyStatus(request, entry.status(), what);
  ServerOf(request).OutdateAnswers(ToInode(parent));
  ReplyEntry(request, *entry);
}

void MakeNode(fuse_req_t request, fuse_ino_t parent, const char* name, mode_t mode, dev_t device) {
  Make(request, parent, name, mode, device, "mknod");
}

void MakeDirectory(fuse_req_t request, fuse_ino_t parent, const char* name, mode_t mode) {
  Make(request, parent, name, S_IFDIR | (mode & 07777), 0, "mkdir");
}

void Symlink(fuse_req_t request, const char* target, fuse_ino_t parent, const char* name) {
  const fuse_ctx* const caller = fuse_req_ctx(request);
  const NewFile file{
      .type = FileType::kSymlink, .permissions = 0777, .uid = caller->uid, .gid = caller->gid, .target = target};
  Server& server = ServerOf(request);
  const absl::StatusOr<Entry> entry = server.fs().Create(ToInode(parent), name, file);
  if (!entry.ok()) return ReplyStatus(request, entry.status(), "symlink");
  server.OutdateAnswers(ToInode(parent));
  ReplyEntry(request, *entry);
}

// A clone may have taken the name since the kernel saw that it was free. Unless the caller wants a new file only, it is
// to open that one: upon ESTALE the kernel looks again, and checks who may. It has checked nothing about that file yet.
absl::Status WhyNotCreated(const absl::Status& status, const char* name, const fuse_file_info& info) {
  const bool wants_new = (info.flags & O_EXCL) != 0;
  return ToErrno(status) == EEXIST && !wants_new ? ErrnoError(ESTALE, name) : status;
}

void Create(fuse_req_t request, fuse_ino_t parent, const char* name, mode_t mode, fuse_file_info* info) {
  Server& server = ServerOf(request);
  FileSystem& fs = server.fs();
  const absl::StatusOr<Entry> entry = MakeFile(request, ToInode(parent), name, S_IFREG | (mode & 07777), 0);
  if (!entry.ok()) return ReplyStatus(request, WhyNotCreated(entry.status(), name, *info), "create");
  server.OutdateAnswers(ToInode(parent));
  if (const absl::Status opened = fs.Open(entry->inode); !opened.ok()) {
    fs.Forget(entry->inode);
    return ReplyStatus(request, opened, "create");
  }
  ReplyCreated(request, *entry, info);
}

void Unlink(fuse_req_t request, fuse_ino_t parent, const char* name) {
  Server& server = ServerOf(request);
  const absl::Status status = fs::UnlinkChecked(&server.fs(), ToInode(parent), name, StickyCheckFor(request));
  if (status.ok()) server.OutdateAnswers(ToInode(parent));
  ReplyStatus(request, status, "unlink");
}

void RemoveDirectory(fuse_req_t request, fuse_ino_t parent, const char* name) {
  Server& server = ServerOf(request);
  const absl::Status status = fs::RemoveDirectoryChecked(&server.fs(), ToInode(parent), name, StickyCheckFor(request));
  if (status.ok()) server.OutdateAnswers(ToInode(parent));
  ReplyStatus(request, status, "rmdir");
}

void Rename(fuse_req_t request, fuse_ino_t from, const char* from_name, fuse_ino_t to, const char* to_name,
            unsigned flags) {
  // What an overlay on the mount leaves where a name of the layer below must not show.
  const fuse_ctx* const caller = fuse_req_ctx(request);
  const NewFile whiteout{.type = FileType::kCharDevice, .permissions = 0, .uid = caller->uid, .gid = caller->gid};
  const bool leaves_whiteout = (flags & RENAME_WHITEOUT) != 0;
  const unsigned kind = flags & ~static_cast<unsigned>(RENAME_WHITEOUT);
  RenameMode mode = RenameMode::kReplace;
  if (kind == RENAME_NOREPLACE) {
    mode = RenameMode::kNoReplace;
  } else if (kind == RENAME_EXCHANGE) {
    mode = RenameMode::kExchange;
  } else if (kind != 0) {
    fuse_reply_err(request, EINVAL);
    return;
  }
  Server& server = ServerOf(request);
  const absl::Status status = fs::RenameChecked(&server.fs(), ToInode(from), from_name, ToInode(to), to_name, mode,
                                                leaves_whiteout ? &whiteout : nullptr, StickyCheckFor(request));
  if (status.ok()) {
    for (const fuse_ino_t directory : {from, to}) server.OutdateAnswers(ToInode(directory));
    server.OutdateAnswers(ToInode(to), to_name);
    if (mode == RenameMode::kExchange || leaves_whiteout) server.OutdateAnswers(ToInode(from), from_name);
  }
  ReplyStatus(request, status, "rename");
}

void Link(fuse_req_t request, fuse_ino_t node, fuse_ino_t parent, const char* name) {
  Server& server = ServerOf(request);
  const absl::StatusOr<Entry> entry = server.fs().Link(ToInode(node), ToInode(parent), name);
  if (!entry.ok()) return ReplyStatus(request, entry.status(), "link");
  server.OutdateAnswers(ToInode(parent));
  ReplyEntry(request, *entry);
}

}  // namespace

void AddNameOperations(fuse_lowlevel_ops* ops) {
  ops->lookup = Lookup;
  ops->forget = Forget;
  ops->forget_multi = ForgetMany;
  ops->mknod = MakeNode;
  ops->mkdir = MakeDirectory;
  ops->symlink = Symlink;
  ops->create = Create;
  ops->unlink = Unlink;
  ops->rmdir = RemoveDirectory;
  ops->rename = Rename;
  ops->link = Link;
}

}  // namespace betr::fuse
