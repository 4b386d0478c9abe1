// SPDX-License-Identifier: Apache-2.0
// mount.betr: makes an image part of the tree of directories, until it is unmounted or told to end.
#pragma once

#include "tool_io.h"

namespace betr::fuse {

// The exit code, as of mount(8): 0; 1 for a wrong command line; 32 if it could not be mounted. Returns after the end
// of the mount (in the daemon, unless -f); its work is durable then.
int MountMain(tools::Arguments args, tools::ToolIo& io);

}  // namespace betr::fuse
