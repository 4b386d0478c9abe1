// SPDX-License-Identifier: Apache-2.0
#include "privileges.h"

#include <linux/fuse.h>
#include <sys/stat.h>

#include <cstring>

namespace betr::fuse {
namespace {

// The structure at the front of `bytes`; zeros if there are fewer.
template <class T>
T Load(std::span<const char> bytes) {
  T value{};
  if (bytes.size() >= sizeof value) std::memcpy(&value, bytes.data(), sizeof value);
  return value;
}

bool IsMarked(uint32_t opcode, std::span<const char> body) {
  switch (opcode) {
    case FUSE_WRITE:
      return (Load<fuse_write_in>(body).write_flags & FUSE_WRITE_KILL_SUIDGID) != 0;
    case FUSE_SETATTR:
      return (Load<fuse_setattr_in>(body).valid & FATTR_KILL_SUIDGID) != 0;
    case FUSE_OPEN:
      return (Load<fuse_open_in>(body).open_flags & FUSE_OPEN_KILL_SUIDGID) != 0;
    default:
      return false;
  }
}

}  // namespace

void PrivilegeAgreement::SeeRequest(std::span<const char> request) {
  const auto header = Load<fuse_in_header>(request);
  if (header.opcode != FUSE_INIT || request.size() < sizeof header) return;
  const auto init = Load<fuse_init_in>(request.subspan(sizeof header));
  if ((init.flags & FUSE_HANDLE_KILLPRIV_V2) != 0) init_ = header.unique;
}

void PrivilegeAgreement::ChangeAnswer(std::span<const iovec> answer) const {
  if (init_ == 0 || answer.size() != 2 || answer[0].iov_len != sizeof(fuse_out_header)) return;
  const auto header = Load<fuse_out_header>({static_cast<const char*>(answer[0].iov_base), answer[0].iov_len});
  constexpr size_t kFlagsEnd = offsetof(fuse_init_out, flags) + sizeof(uint32_t);
  if (header.unique != init_ || header.error != 0 || answer[1].iov_len < kFlagsEnd) return;
  char* const flags = static_cast<char*>(answer[1].iov_base) + offsetof(fuse_init_out, flags);
  const uint32_t agreed = Load<uint32_t>({flags, sizeof(uint32_t)}) | FUSE_HANDLE_KILLPRIV_V2;
  std::memcpy(flags, &agreed, sizeof agreed);
}

uint32_t WithoutPrivileges(const FileAttributes& attributes) {
  uint32_t permissions = attributes.permissions & ~static_cast<uint32_t>(S_ISUID);
  // Without execution for the group the bit used to mean something else.
  if ((permissions & S_IXGRP) != 0) permissions &= ~static_cast<uint32_t>(S_ISGID);
  return permissions;
}

void DropMarkedPrivileges(FileSystem& fs, fuse_session* session, std::span<const char> request) {
  const auto header = Load<fuse_in_header>(request);
  if (request.size() < sizeof header || !IsMarked(header.opcode, request.subspan(sizeof header))) return;
  const absl::StatusOr<FileAttributes> attributes = fs.GetAttributes(InodeId{header.nodeid});
  if (!attributes.ok() || attributes->type == FileType::kDirectory) return;
  const uint32_t permissions = WithoutPrivileges(*attributes);
  if (permissions == attributes->permissions) return;
  AttributeChange change;
  change.permissions = permissions;
  // If it fails, so does the request that follows.
  fs.SetAttributes(InodeId{header.nodeid}, change).IgnoreError();
  // The kernel goes on showing the mode that it knows. Attributes alone are forgotten without waiting for anything.
  fuse_lowlevel_notify_inval_inode(session, header.nodeid, -1, 0);
}

}  // namespace betr::fuse
