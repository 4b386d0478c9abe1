// SPDX-License-Identifier: Apache-2.0
// Access control lists (fs/acl.h) on a mount. The kernel enforces them. The file system has to pass them on to new
// files, and to keep each list and the permission bits in agreement.
#pragma once

#include <absl/status/status.h>

#include <cstdint>
#include <string_view>

#include "betr/filesystem.h"
#include "fs/acl.h"

namespace betr::fuse {

using fs::Acl;
using fs::kAccessAcl;
using fs::kDefaultAcl;

// Sets the access list, as setxattr does. Also changes the permission bits.
absl::Status SetAccessAcl(FileSystem& fs, InodeId inode, std::string_view value);
// Makes the access list, if there is one, follow a chmod.
absl::Status FollowMode(FileSystem& fs, InodeId inode, uint32_t permissions);

}  // namespace betr::fuse
