// SPDX-License-Identifier: Apache-2.0
#include "libfuse312/raw_requests.h"

#include <linux/fuse.h>
#include <sys/sysmacros.h>
#include <sys/uio.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <type_traits>

#include "libfuse312/request_bytes.h"
#include "new_file.h"
#include "reply.h"

namespace betr::fuse {
namespace {

constexpr uint32_t kTmpfile = 51;  // FUSE_TMPFILE of newer headers
constexpr uint32_t kStatx = 52;    // FUSE_STATX, as the structures below

struct StatxTime {
  int64_t seconds;
  uint32_t nanoseconds;
  int32_t reserved;
};

struct StatxOut {
  uint64_t attr_valid;
  uint32_t attr_valid_nsec;
  uint32_t flags;
  std::array<uint64_t, 2> spare;
  uint32_t mask;
  uint32_t blksize;
  uint64_t attributes;
  uint32_t nlink;
  uint32_t uid;
  uint32_t gid;
  uint16_t mode;
  uint16_t spare0;
  uint64_t ino;
  uint64_t size;
  uint64_t blocks;
  uint64_t attributes_mask;
  StatxTime atime;
  StatxTime btime;
  StatxTime ctime;
  StatxTime mtime;
  uint32_t rdev_major;
  uint32_t rdev_minor;
  uint32_t dev_major;
  uint32_t dev_minor;
  std::array<uint64_t, 14> spare2;
};
static_assert(sizeof(StatxOut) == 32 + 256);

struct TmpfileOut {
  fuse_entry_out entry;
  fuse_open_out open;
};

// Whether the kernel took the answer. `error` is an errno value, 0 for `body`.
template <class Body>
bool Reply(fuse_session* session, uint64_t unique, int error, const Body& body) {
  static_assert(std::is_trivially_copyable_v<Body>);
  const size_t size = sizeof(fuse_out_header) + (error == 0 ? sizeof body : 0);
  fuse_out_header header{static_cast<uint32_t>(size), -error, unique};
  Body copy = body;
  const std::array<iovec, 2> parts{{{&header, sizeof header}, {&copy, sizeof copy}}};
  return writev(fuse_session_fd(session), parts.data(), error == 0 ? 2 : 1) == static_cast<ssize_t>(size);
}

fuse_attr ToFuseAttr(const FileAttributes& attributes) {
  fuse_attr attr{};
  attr.ino = attributes.inode_number;
  attr.size = attributes.size;
  attr.blocks = attributes.blocks;
  attr.atime = static_cast<uint64_t>(attributes.accessed.seconds);
  attr.mtime = static_cast<uint64_t>(attributes.modified.seconds);
  attr.ctime = static_cast<uint64_t>(attributes.changed.seconds);
  attr.atimensec = attributes.accessed.nanoseconds;
  attr.mtimensec = attributes.modified.nanoseconds;
  attr.ctimensec = attributes.changed.nanoseconds;
  attr.mode = attributes.mode();
  attr.nlink = attributes.links;
  attr.uid = attributes.uid;
  attr.gid = attributes.gid;
  attr.blksize = static_cast<uint32_t>(kFileBlock.value);
  return attr;
}

void AnswerTmpfile(Server& server, fuse_session* session, const fuse_in_header& header, const fuse_create_in& in) {
  const fuse_ctx caller{.uid = header.uid, .gid = header.gid, .pid = static_cast<pid_t>(header.pid), .umask = in.umask};
  const absl::StatusOr<Entry> entry = MakeUnnamed(server, caller, InodeId{header.nodeid}, in.mode);
  TmpfileOut out{};
  if (!entry.ok()) {
    Reply(session, header.unique, ToErrno(entry.status()), out);
    return;
  }
  const fuse_entry_param param = server.ToParam(*entry);
  out.entry.nodeid = param.ino;
  out.entry.generation = param.generation;
  out.entry.entry_valid = out.entry.attr_valid = static_cast<uint64_t>(kForever);
  out.entry.attr = ToFuseAttr(entry->attributes);
  Handle* const handle = server.files().Add(entry->inode, true);
  out.open.fh = reinterpret_cast<uint64_t>(handle);
  out.open.open_flags = FOPEN_KEEP_CACHE;
  if (Reply(session, header.unique, 0, out)) return;
  server.fs().Close(server.files().Remove(handle));
  server.fs().Forget(entry->inode);
}

StatxTime ToStatxTime(const FileTime& time) { return {time.seconds, time.nanoseconds, 0}; }

void AnswerStatx(Server& server, fuse_session* session, const fuse_in_header& header) {
  constexpr uint32_t kBasicAndBirth = 0x7ff | 0x800;  // STATX_BASIC_STATS | STATX_BTIME
  const absl::StatusOr<FileAttributes> found = server.fs().GetAttributes(InodeId{header.nodeid});
  StatxOut out{};
  if (found.ok()) {
    out.attr_valid = static_cast<uint64_t>(kForever);
    out.mask = kBasicAndBirth;
    out.blksize = static_cast<uint32_t>(kFileBlock.value);
    out.nlink = found->links;
    out.uid = found->uid;
    out.gid = found->gid;
    out.mode = static_cast<uint16_t>(found->mode());
    out.ino = found->inode_number;
    out.size = found->size;
    out.blocks = found->blocks;
    out.atime = ToStatxTime(found->accessed);
    out.btime = ToStatxTime(found->born);
    out.ctime = ToStatxTime(found->changed);
    out.mtime = ToStatxTime(found->modified);
    out.rdev_major = major(found->device);
    out.rdev_minor = minor(found->device);
  }
  Reply(session, header.unique, ToErrno(found.status()), out);
}

}  // namespace

bool AnswerRawRequest(Server& server, fuse_session* session, std::span<const char> buffer, bool is_allowed) {
  fuse_in_header header{};
  if (buffer.size() < sizeof header) return false;
  std::memcpy(&header, buffer.data(), sizeof header);
  if (!is_allowed && (header.opcode == kStatx || header.opcode == kTmpfile)) {
    Reply(session, header.unique, EACCES, fuse_out_header{});
    return true;
  }
  if (header.opcode == kStatx) {
    AnswerStatx(server, session, header);
    return true;
  }
  fuse_create_in create{};
  if (header.opcode != kTmpfile || buffer.size() < sizeof header + sizeof create) return false;
  std::memcpy(&create, buffer.data() + sizeof header, sizeof create);
  AnswerTmpfile(server, session, header, create);
  return true;
}

void AnswerRawError(Server& server, fuse_session* session, std::span<const char> request, const absl::Status& status) {
  const auto header = Load<fuse_in_header>(request);
  const int error = NoteError(server, static_cast<pid_t>(header.pid), status, "clearing set-id bits");
  Reply(session, header.unique, error, fuse_out_header{});
}

}  // namespace betr::fuse
