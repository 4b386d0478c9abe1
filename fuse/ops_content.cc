// SPDX-License-Identifier: Apache-2.0
// Regular files: opening, content, and what makes it durable.
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <optional>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "cloner.h"
#include "fs/write_all.h"
#include "operations.h"
#include "privileges.h"
#include "reply.h"

namespace betr::fuse {
namespace {

void Open(fuse_req_t request, fuse_ino_t node, fuse_file_info* info) {
  Server& server = ServerOf(request);
  FileSystem& fs = server.fs();
  const absl::Status status = fs.Open(ToInode(node));
  if (!status.ok()) return ReplyStatus(request, status, "open");
  const bool writes = (info->flags & O_ACCMODE) != O_RDONLY;
  info->fh = reinterpret_cast<uint64_t>(server.files().Add(ToInode(node), writes));
  info->keep_cache = 1;
  if (fuse_reply_open(request, info) != 0) fs.Close(server.files().Remove(HandleOf(info)));
}

void Release(fuse_req_t request, fuse_ino_t, fuse_file_info* info) {
  Server& server = ServerOf(request);
  server.fs().Close(server.files().Remove(HandleOf(info)));
  fuse_reply_err(request, 0);
}

void Read(fuse_req_t request, fuse_ino_t node, size_t size, off_t offset, fuse_file_info* info) {
  thread_local std::vector<char> buffer;
  if (buffer.size() < size) buffer.resize(size);
  const ReadMode mode = (info->flags & O_NOATIME) != 0 ? ReadMode::kUnnoticed : ReadMode::kNoticed;
  const absl::StatusOr<size_t> done =
      ServerOf(request).fs().Read(ToInode(node), static_cast<uint64_t>(offset), {buffer.data(), size}, mode);
  if (!done.ok()) return ReplyStatus(request, done.status(), "read");
  fuse_reply_buf(request, buffer.data(), *done);
}

// When the kernel writes pages from its cache, it only notices whether they were written, not how much of them was.
// With `writeback` it has the times of the changes, and may have told them before.
absl::Status WritePages(Server& server, InodeId inode, uint64_t offset, std::string_view bytes) {
  return server.settings().writeback ? fs::WriteAllButTimes(&server.fs(), inode, offset, bytes)
                                     : fs::WriteAll(&server.fs(), inode, offset, bytes);
}

void Write(fuse_req_t request, fuse_ino_t node, const char* bytes, size_t size, off_t offset, fuse_file_info* info) {
  Server& server = ServerOf(request);
  if (IsMarkedToDrop(*info)) {
    const absl::Status dropped = DropPrivileges(server.fs(), server.session(), ToInode(node));
    if (!dropped.ok()) return ReplyStatus(request, dropped, "write");
  }
  const std::string_view content(bytes, size);
  const auto at = static_cast<uint64_t>(offset);
  absl::StatusOr<size_t> done = size;
  if (info->writepage == 0) {
    done = server.fs().Write(ToInode(node), at, content);
  } else if (const absl::Status all = WritePages(server, ToInode(node), at, content); !all.ok()) {
    done = all;
  }
  if (!done.ok()) return ReplyStatus(request, done.status(), "write");
  fuse_reply_write(request, *done);
  // Only after the answer, since dropping an inode waits for its pages. With `writeback` the kernel has its own times.
  if (info->writepage != 0 && !server.settings().writeback) server.OutdateAnswers(ToInode(node));
}

// Answers ENOSYS, so the kernel asks only once. If gathered writes are lost, fsync tells.
void Flush(fuse_req_t request, fuse_ino_t, fuse_file_info*) { fuse_reply_err(request, ENOSYS); }

void Sync(fuse_req_t request, fuse_ino_t node, int, fuse_file_info*) {
  Server& server = ServerOf(request);
  ReplyStatus(request, server.settings().read_only ? absl::OkStatus() : server.fs().SyncFile(ToInode(node)), "fsync");
}

// For requests that the kernel cannot mark.
absl::Status DropUnlessRoot(fuse_req_t request, fuse_ino_t node) {
  Server& server = ServerOf(request);
  if (fuse_req_ctx(request)->uid == 0) return absl::OkStatus();
  return DropPrivileges(server.fs(), server.session(), ToInode(node));
}

void Allocate(fuse_req_t request, fuse_ino_t node, int flags, off_t offset, off_t length, fuse_file_info*) {
  const std::optional<AllocateMode> mode = AllocateModeOf(flags);
  if (!mode) {
    fuse_reply_err(request, EOPNOTSUPP);
    return;
  }
  Server& server = ServerOf(request);
  absl::Status status = DropUnlessRoot(request, node);
  if (!status.ok()) return ReplyStatus(request, status, "fallocate");
  status = server.fs().Allocate(ToInode(node), *mode, static_cast<uint64_t>(offset), static_cast<uint64_t>(length));
  if (status.ok()) server.OutdateAnswers(ToInode(node));
  ReplyStatus(request, status, "fallocate");
}

void CopyRange(fuse_req_t request, fuse_ino_t from, off_t from_offset, fuse_file_info*, fuse_ino_t to, off_t to_offset,
               fuse_file_info*, size_t length, int flags) {
  if (flags != 0) {
    fuse_reply_err(request, EINVAL);
    return;
  }
  const absl::Status dropped = DropUnlessRoot(request, to);
  if (!dropped.ok()) return ReplyStatus(request, dropped, "copy_file_range");
  const absl::StatusOr<uint64_t> done = ServerOf(request).fs().CopyRange(
      ToInode(from), static_cast<uint64_t>(from_offset), ToInode(to), static_cast<uint64_t>(to_offset), length);
  if (!done.ok()) return ReplyStatus(request, done.status(), "copy_file_range");
  fuse_reply_write(request, *done);
}

void ReplySeek(fuse_req_t request, InodeId inode, off_t offset, int whence) {
  FileSystem& fs = ServerOf(request).fs();
  const uint64_t from = static_cast<uint64_t>(offset);
  const absl::StatusOr<uint64_t> found = whence == SEEK_DATA ? fs.SeekData(inode, from) : fs.SeekHole(inode, from);
  if (!found.ok()) return ReplyStatus(request, found.status(), "lseek");
  fuse_reply_lseek(request, static_cast<off_t>(*found));
}

void Seek(fuse_req_t request, fuse_ino_t node, off_t offset, int whence, fuse_file_info*) {
  if (whence != SEEK_DATA && whence != SEEK_HOLE) {
    fuse_reply_err(request, EINVAL);
    return;
  }
  Server& server = ServerOf(request);
  // The kernel's own file sizes may be ahead of ours. On ENOSYS it takes everything for data.
  if (server.settings().writeback) {
    fuse_reply_err(request, ENOSYS);
    return;
  }
  const InodeId inode = ToInode(node);
  // The kernel may hold back pages of a mapped file that were holes.
  if (server.files().IsWriter(inode)) {
    return server.cloner().AfterWriteBack(inode, [=] { ReplySeek(request, inode, offset, whence); });
  }
  ReplySeek(request, inode, offset, whence);
}

}  // namespace

void AddContentOperations(fuse_lowlevel_ops* ops) {
  ops->open = Open;
  ops->release = Release;
  ops->read = Read;
  ops->write = Write;
  ops->flush = Flush;
  ops->fsync = Sync;
  ops->fsyncdir = Sync;
  ops->fallocate = Allocate;
  ops->copy_file_range = CopyRange;
  ops->lseek = Seek;
}

}  // namespace betr::fuse
