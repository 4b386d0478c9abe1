// SPDX-License-Identifier: Apache-2.0
// How a file that the kernel asks for gets its owner, mode and ACLs.
#pragma once

#include <absl/status/statusor.h>

#include <cstdint>

#include "betr/filesystem.h"
#include "server.h"

namespace betr::fuse {

// Makes a file of any type but a symlink. `mode` as in stat, before the umask; a default ACL of the directory takes
// the umask's place, and is passed on. Errors: those of FileSystem::Create.
absl::StatusOr<Entry> MakeFile(fuse_req_t request, InodeId directory, const char* name, uint32_t mode, uint64_t device);

// The same without a name, open once.
absl::StatusOr<Entry> MakeUnnamed(Server& server, const fuse_ctx& caller, InodeId directory, uint32_t mode);

}  // namespace betr::fuse
