// SPDX-License-Identifier: Apache-2.0
// Taking a mount away. The kernel does not wait for a FUSE server to end, and the server's last act is a checkpoint, so
// whoever unmounts and then wants the image has to wait.
#pragma once

#include <string>

#include "tool_io.h"

namespace betr::fuse {

struct UnmountMode {
  bool lazily = false;  // also if files are open
  bool force = false;   // also if requests wait for a server that will not answer: they fail. Only root can
};

// By the kernel for root, by fusermount3 for others. False if it is still busy after half a second of trying (at once
// if `lazily`), or not ours; errno or fusermount3 say more.
bool UnmountDirectory(const std::string& directory, UnmountMode mode);

// umount.betr, which umount(8) calls under the name of the mount's type: unmounts, and waits until the image is free.
// The exit code, as of mount(8).
int UnmountMain(tools::Arguments args, tools::ToolIo& io);

}  // namespace betr::fuse
