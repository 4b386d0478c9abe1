// SPDX-License-Identifier: Apache-2.0
// Makes files on request of the kernel, with their owner, mode and ACLs.
#pragma once

#include <absl/status/statusor.h>

#include <cstdint>

#include "betr/filesystem.h"
#include "server.h"

namespace betr::fuse {

// Makes a file of any type but a symlink. `mode` is as in stat, before the umask. If the directory has a default ACL,
// that replaces the umask and is passed on. Errors: those of FileSystem::Create.
absl::StatusOr<Entry> MakeFile(fuse_req_t request, InodeId directory, const char* name, uint32_t mode, uint64_t device);

// The same for a regular file without a name. It is returned open: one reference is for the open file, one for the
// caller.
absl::StatusOr<Entry> MakeUnnamed(Server& server, const fuse_ctx& caller, InodeId directory, uint32_t mode);

}  // namespace betr::fuse
