// SPDX-License-Identifier: Apache-2.0
// mount.betr: mounts an image, and serves it until it is unmounted or the program is told to end.
#pragma once

#include "tool_io.h"

namespace betr::fuse {

// The whole program. Returns the exit code, as mount(8) defines it: 0; 1 for a wrong command line; 32 if it could not
// be mounted. Returns after the end of the mount, in the daemon unless -f. All work is durable then.
int MountMain(tools::Arguments args, tools::ToolIo& io);

}  // namespace betr::fuse
