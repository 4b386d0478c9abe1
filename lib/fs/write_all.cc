// SPDX-License-Identifier: Apache-2.0
#include "fs/write_all.h"

#include <absl/functional/function_ref.h>

#include <cerrno>

#include "base/status.h"
#include "betr/fs_error.h"
#include "fs/content.h"
#include "fs/filesystem_impl.h"

namespace betr::fs {
namespace {

using WriteSome = absl::FunctionRef<absl::StatusOr<size_t>(uint64_t offset, std::string_view bytes)>;

absl::Status Repeat(uint64_t offset, std::string_view bytes, WriteSome write) {
  while (!bytes.empty()) {
    BETR_ASSIGN_OR_RETURN(const size_t written, write(offset, bytes));
    if (written == 0) return ErrnoError(ENOSPC, "nothing was written");
    offset += written;
    bytes.remove_prefix(written);
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status WriteAll(FileSystem* fs, InodeId inode, uint64_t offset, std::string_view bytes) {
  return Repeat(offset, bytes, [&](uint64_t at, std::string_view rest) { return fs->Write(inode, at, rest); });
}

absl::Status WriteAllButTimes(FileSystem* fs, InodeId id, uint64_t offset, std::string_view bytes) {
  return Repeat(offset, bytes, [&](uint64_t at, std::string_view rest) -> absl::StatusOr<size_t> {
    FsSession session(fs->impl());
    BETR_ASSIGN_OR_RETURN(Inode* const inode, session.Find(id));
    return Write(session.core(), *inode, at, rest, WriteTimes::kStay);
  });
}

}  // namespace betr::fs
