// SPDX-License-Identifier: Apache-2.0
// -o remount: the kernel changes its own view of a mount that is there.
#pragma once

#include "mount_options.h"

namespace betr::fuse {

// Prints what went wrong. The program's exit code. With ro everything that was written before is durable afterwards;
// if that cannot be had the mount stays as it was. What others write between is durable, too, or it is said that the
// mount is read-only and they are not.
int Remount(tools::Tool& tool, const MountCommand& command, const MountPlan& plan);

}  // namespace betr::fuse
