// SPDX-License-Identifier: Apache-2.0
// Who may remove a whole tree: as fuse/clone_rights.h.
#pragma once

#include "clone_rights.h"

namespace betr::fuse {

// What `rm -r` would need, or more: EACCES or EPERM unless the caller is root, or may remove from the directory the
// name that `victim` was found under, and owns `victim` and all directories below it, with all permissions. Cost for
// others than root: reads all names below.
absl::Status CheckMayRemove(FileSystem& fs, const Caller& caller, InodeId directory, const Entry& victim);

}  // namespace betr::fuse
