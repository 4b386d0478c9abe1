// SPDX-License-Identifier: Apache-2.0
// Set-id bits that a write has to clear (FUSE_HANDLE_KILLPRIV_V2). By default the kernel does that itself and asks for
// the xattr security.capability before each single write. With this agreement it asks once for an inode, and says in
// the request when bits have to go; changes of owner we have to look after ourselves.
//
// libfuse has neither the agreement (before 3.17) nor the marks of requests, so both are done on the raw bytes.
#pragma once

#include <cstdint>
#include <span>

#include "server.h"

namespace betr::fuse {

// Clears what a raw request is marked to clear. To be called before it is handled.
void DropMarkedPrivileges(FileSystem& fs, fuse_session* session, std::span<const char> request);

// What remains of permission bits when the owner changes or somebody unprivileged writes.
uint32_t WithoutPrivileges(const FileAttributes& attributes);

}  // namespace betr::fuse
