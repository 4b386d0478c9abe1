// SPDX-License-Identifier: Apache-2.0
// An open file or directory of the host.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <string>

namespace betr::tools {

// Opens for reading and closes itself. fd() is negative, with errno set, if it could not be opened.
class HostDescriptor {
 public:
  HostDescriptor(const std::string& path, int flags) : fd_(open(path.c_str(), flags | O_RDONLY | O_CLOEXEC)) {}
  ~HostDescriptor() {
    if (fd_ >= 0) close(fd_);
  }
  HostDescriptor(const HostDescriptor&) = delete;
  HostDescriptor& operator=(const HostDescriptor&) = delete;

  int fd() const { return fd_; }

 private:
  int fd_;
};

}  // namespace betr::tools
