// SPDX-License-Identifier: Apache-2.0
// Set-id bits that a write has to clear (FUSE_HANDLE_KILLPRIV_V2). By default the kernel clears them itself, and asks
// for the xattr security.capability before every write. With this agreement it asks for that once per inode, and marks
// the requests for which bits have to go. Changes of owner are then ours to look after.
#pragma once

#include <cstdint>

#include "server.h"

namespace betr::fuse {

// Clears the set-id bits of an inode. Call it before handling a request that is marked so. After an error (ENOSPC) the
// request must fail with it: where the clearing finds no space, what follows may still find some.
absl::Status DropPrivileges(FileSystem& fs, fuse_session* session, InodeId inode);

// Returns the permission bits that remain when the owner changes or somebody unprivileged writes.
uint32_t WithoutPrivileges(const FileAttributes& attributes);

}  // namespace betr::fuse
