// SPDX-License-Identifier: Apache-2.0
// -o remount: changes how the kernel sees an existing mount.
#pragma once

#include "mount_options.h"

namespace betr::fuse {

// Remounts, and prints what went wrong. Returns the program's exit code.
//
// With ro, everything that was written before is durable afterwards. If that fails, the mount stays as it was. What
// others write meanwhile is durable too; if not, the message says that the mount is read-only but not synced.
int Remount(tools::Tool& tool, const MountCommand& command, const MountPlan& plan);

}  // namespace betr::fuse
