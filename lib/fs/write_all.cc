// SPDX-License-Identifier: Apache-2.0
#include "fs/write_all.h"

#include <cerrno>

#include "base/status.h"
#include "betr/fs_error.h"

namespace betr::fs {

absl::Status WriteAll(FileSystem* fs, InodeId inode, uint64_t offset, std::string_view bytes) {
  while (!bytes.empty()) {
    BETR_ASSIGN_OR_RETURN(const size_t written, fs->Write(inode, offset, bytes));
    if (written == 0) return ErrnoError(ENOSPC, "nothing was written");
    offset += written;
    bytes.remove_prefix(written);
  }
  return absl::OkStatus();
}

}  // namespace betr::fs
