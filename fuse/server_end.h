// SPDX-License-Identifier: Apache-2.0
// Waiting for the server of a mount that was taken away: its last act is a checkpoint, and until it ends the image is
// in use. It goes on if its file system is still mounted elsewhere.
#pragma once

#include <sys/types.h>

#include <string>

#include "base/scoped_fd.h"

namespace betr::fuse {

class ServerEnd {
 public:
  // To be made while the directory is mounted. `process`: who serves it; 0 if that is not known, and then the image is
  // waited for until nobody has it for writing.
  ServerEnd(const std::string& directory, std::string image, pid_t process);

  // Returns when the server has ended, or as soon as it is clear that it will not, or after two minutes. Why the image
  // is still in use, then; else nothing.
  std::string Wait();

 private:
  // Waits a little.
  bool HasEnded() const;
  // Whether it has not noticed yet that nothing is mounted any more.
  bool IsServing() const;
  std::string User() const;

  const std::string image_;
  std::string device_;  // of the file system, as in MountInfo; empty: not known
  const pid_t process_;
  ScopedFd process_fd_;
  ScopedFd image_fd_;  // if the process is not known
};

}  // namespace betr::fuse
