// SPDX-License-Identifier: Apache-2.0
// Who may remove a whole tree. See fuse/clone_rights.h for why this is checked here.
#pragma once

#include "clone_rights.h"

namespace betr::fuse {

// EACCES or EPERM unless the caller may remove `victim`, which was found in `directory`. Demands at least what `rm -r`
// would need. Root may. Others must be allowed to remove its name from the directory. If it is a directory, they must
// also own it and all directories below it, with all permissions. Cost: reads all names below, except for root.
absl::Status CheckMayRemove(FileSystem& fs, const Caller& caller, InodeId directory, const Entry& victim);

}  // namespace betr::fuse
