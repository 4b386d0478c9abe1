// SPDX-License-Identifier: Apache-2.0
#include "libfuse312/privilege_marks.h"

#include <linux/fuse.h>

#include <cstdint>
#include <cstring>

#include "libfuse312/request_bytes.h"
#include "privileges.h"

namespace betr::fuse {
namespace {

// The request of this thread that offers the agreement; 0: none. libfuse answers it before it returns.
thread_local uint64_t offer = 0;

bool IsMarked(uint32_t opcode, std::span<const char> body) {
  switch (opcode) {
    case FUSE_WRITE:
      return (Load<fuse_write_in>(body).write_flags & FUSE_WRITE_KILL_SUIDGID) != 0;
    case FUSE_SETATTR:
      return (Load<fuse_setattr_in>(body).valid & FATTR_KILL_SUIDGID) != 0;
    default:
      return false;
  }
}

}  // namespace

void SeeOffer(std::span<const char> request) {
  const auto header = Load<fuse_in_header>(request);
  if (header.opcode != FUSE_INIT || request.size() < sizeof header) return;
  const auto init = Load<fuse_init_in>(request.subspan(sizeof header));
  if ((init.flags & FUSE_HANDLE_KILLPRIV_V2) != 0) offer = header.unique;
}

void TakeOffer(std::span<const iovec> answer) {
  if (offer == 0 || answer.size() != 2 || answer[0].iov_len != sizeof(fuse_out_header)) return;
  const auto header = Load<fuse_out_header>({static_cast<const char*>(answer[0].iov_base), answer[0].iov_len});
  constexpr size_t kFlagsEnd = offsetof(fuse_init_out, flags) + sizeof(uint32_t);
  if (header.unique != offer || header.error != 0 || answer[1].iov_len < kFlagsEnd) return;
  char* const flags = static_cast<char*>(answer[1].iov_base) + offsetof(fuse_init_out, flags);
  const uint32_t agreed = Load<uint32_t>({flags, sizeof(uint32_t)}) | FUSE_HANDLE_KILLPRIV_V2;
  std::memcpy(flags, &agreed, sizeof agreed);
}

absl::Status DropMarkedPrivileges(FileSystem& fs, fuse_session* session, std::span<const char> request) {
  const auto header = Load<fuse_in_header>(request);
  if (request.size() < sizeof header || !IsMarked(header.opcode, request.subspan(sizeof header))) {
    return absl::OkStatus();
  }
  return DropPrivileges(fs, session, InodeId{header.nodeid});
}

}  // namespace betr::fuse
