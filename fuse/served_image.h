// SPDX-License-Identifier: Apache-2.0
// Which image a mount is of. The table of mounts has a name for it that may be chosen freely (-o fsname), so its
// server is asked.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>

#include "betr/mount_ioctl.h"
#include "mount_table.h"

namespace betr::fuse {

// What comes of asking who serves a directory.
struct ServerAnswer {
  int error = 0;        // ENOTCONN: nobody any more; ETIMEDOUT: who does, does not answer; others: may not be asked
  std::string image{};  // if there is no error: the path of the image, as its server has it (BETR_IOC_IMAGE)
  pid_t process = 0;  // that serves it; 0: not known, as it is in another namespace, or of a version that does not say
};

// What this process, which serves a mount, says of itself.
betr_server ThisServer();

// Never waits for much longer, even if the server hangs. Asked is the server, whatever the kernel has in its cache.
// Requires: this process has one thread.
ServerAnswer AskServer(const std::string& directory, std::chrono::milliseconds longest);

// The path of the image that is mounted on the directory. Nothing if its server does not answer in time, may not be
// asked, or is none of ours. Otherwise as AskServer.
std::optional<std::string> ImageServedOn(const std::string& directory, std::chrono::milliseconds longest);

// Whether something is mounted there that is none of ours. Otherwise as AskServer.
bool IsForeign(const MountEntry& mount, std::chrono::milliseconds longest);

// Whether the image is mounted on some directory, as far as the system's table of mounts and their servers tell.
// `source`: its name there, if none other was given. Requires: this process has one thread.
bool IsMounted(const std::string& image, const std::string& source);

}  // namespace betr::fuse
