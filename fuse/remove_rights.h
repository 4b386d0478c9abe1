// SPDX-License-Identifier: Apache-2.0
// Who may remove names: whole trees, and names in sticky directories. See fuse/clone_rights.h for why the former is
// checked here.
#pragma once

#include "clone_rights.h"
#include "fs/sticky.h"

namespace betr::fuse {

// EACCES or EPERM unless the caller may remove `victim`, which was found in `directory`. Demands at least what `rm -r`
// would need. Root may. Others must be allowed to remove its name from the directory. If it is a directory, they must
// also own it and all directories below it, with all permissions. Cost: reads all names below, except for root.
absl::Status CheckMayRemove(FileSystem& fs, const Caller& caller, InodeId directory, const Entry& victim);

// Returns what says EPERM of names in sticky directories that the caller may not remove or rename. Empty for root.
//
// The kernel has checked the same, but of what it knew. Clones and removals of trees change names without its lock of
// the directory, so by now another file may have the name, or a file may have a name that the kernel saw to be free.
betr::fs::StickyCheck StickyCheckFor(fuse_req_t request);

}  // namespace betr::fuse
