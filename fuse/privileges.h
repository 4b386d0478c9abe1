// SPDX-License-Identifier: Apache-2.0
// Set-id bits that a write has to clear (FUSE_HANDLE_KILLPRIV_V2). By default the kernel does that itself and asks for
// the xattr security.capability before each single write. With this agreement it asks once for an inode, and says in
// the request when bits have to go; changes of owner we have to look after ourselves.
#pragma once

#include <cstdint>

#include "server.h"

namespace betr::fuse {

// To be called before a request is handled that is marked so.
void DropPrivileges(FileSystem& fs, fuse_session* session, InodeId inode);

// What remains of permission bits when the owner changes or somebody unprivileged writes.
uint32_t WithoutPrivileges(const FileAttributes& attributes);

}  // namespace betr::fuse
