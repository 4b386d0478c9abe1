// SPDX-License-Identifier: Apache-2.0
// Waits for the server of a mount that was taken away. Its last act is a checkpoint; until it ends, the image is in
// use. It does not end while its file system is still mounted elsewhere.
#pragma once

#include <sys/types.h>

#include <string>

#include "base/scoped_fd.h"

namespace betr::fuse {

class ServerEnd {
 public:
  // Must be made while the directory is mounted. `process` is the server, or 0 if that is not known. With 0, Wait waits
  // until nobody has the image open for writing.
  ServerEnd(const std::string& directory, std::string image, pid_t process);

  // Returns when the server has ended, when it is clear that it will not, or after two minutes. Returns why the image
  // is still in use; empty if it is not.
  std::string Wait();

 private:
  // Waits a little for the end. Whether it has come.
  bool HasEnded() const;
  // Whether the server has not noticed yet that nothing is mounted any more.
  bool IsServing() const;
  std::string User() const;

  const std::string image_;
  std::string device_;  // of the file system, as in MountInfo; empty: not known
  const pid_t process_;
  ScopedFd process_fd_;
  ScopedFd image_fd_;  // if the process is not known
};

}  // namespace betr::fuse
