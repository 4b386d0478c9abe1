// SPDX-License-Identifier: Apache-2.0
// Unmounts. The kernel does not wait for a FUSE server to end, and the server's last act is a checkpoint. So whoever
// unmounts and then wants the image has to wait.
#pragma once

#include <string>

#include "tool_io.h"

namespace betr::fuse {

struct UnmountMode {
  bool lazily = false;  // also if files are open
  bool force = false;   // also if requests wait for a server that will not answer; they fail. Only root can
};

// Unmounts a directory: directly as root, through fusermount3 as others. Returns false if it is still busy after trying
// for half a second (`lazily`: once), or is not ours. errno or fusermount3 says more.
bool UnmountDirectory(const std::string& directory, UnmountMode mode);

// The whole of umount.betr, which umount(8) calls by the mount's type. Unmounts, then waits until the image is free.
// Returns the exit code, as mount(8) defines it.
int UnmountMain(tools::Arguments args, tools::ToolIo& io);

}  // namespace betr::fuse
