// SPDX-License-Identifier: Apache-2.0
// Which image a mount is of. Its name in the table of mounts may be chosen freely (-o fsname), so its server is asked.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>

#include "betr/mount_ioctl.h"
#include "mount_table.h"

namespace betr::fuse {

// The result of asking who serves a directory.
struct ServerAnswer {
  int error = 0;        // ENOTCONN: nobody any more; ETIMEDOUT: the server does not answer; others: may not be asked
  std::string image{};  // if there is no error: the path of the image, as its server has it (BETR_IOC_IMAGE)
  pid_t process = 0;    // the server; 0: not known: in another namespace, or of a version that does not say
};

// What this process says of itself, as the server of a mount.
betr_server ThisServer();

// Asks the server of a directory itself, whatever the kernel has cached. Waits not much longer than `longest`, even if
// the server hangs. Requires: this process has one thread.
ServerAnswer AskServer(const std::string& directory, std::chrono::milliseconds longest);

// Returns the path of the image that is mounted on the directory. Nothing if its server does not answer in time, may
// not be asked, or is not ours. Otherwise as AskServer.
std::optional<std::string> ImageServedOn(const std::string& directory, std::chrono::milliseconds longest);

// Whether `mount` is certainly not one of ours. May ask its server, as AskServer does.
bool IsForeign(const MountInfo& mount, std::chrono::milliseconds longest);

// Whether the image is mounted on some directory, as far as the table of mounts and the servers tell. `source` is the
// image's name in that table, if no other was given. Requires: this process has one thread.
bool IsMounted(const std::string& image, const std::string& source);

}  // namespace betr::fuse
