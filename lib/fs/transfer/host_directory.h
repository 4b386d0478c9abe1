// SPDX-License-Identifier: Apache-2.0
// HostDirectory is a directory of the host that a copy is in. They go from the working directory down, each in the one
// before.
//
// Only the uppermost ones stay open all the time. Further down, a directory is closed while the copy is in one below
// it, and opened again from there, as its "..". Otherwise a deep tree would exceed the number of files that a process
// may have open.
#pragma once

#include <absl/status/status.h>
#include <absl/status/statusor.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <string>

#include "base/scoped_fd.h"

namespace betr::fs {

class HostDirectory {
 public:
  // The working directory.
  HostDirectory() : opened_(AT_FDCWD) {}

  // A directory that is not there, and so has nothing in it. Stands for one that a trial does not make. It has no
  // descriptor.
  static HostDirectory Absent();

  // Opens `name` in `above`, which outlives this and must not be used before Leave. `path` is for messages.
  static absl::StatusOr<HostDirectory> Enter(HostDirectory* above, const std::string& name, const std::string& path);

  // Makes the directory above usable again. After that the names in this one cannot be used, but its descriptor can.
  // kAborted if there is no way back, because this one has been moved away or may no longer be searched. Nothing above
  // can be used then.
  absl::Status Leave(const std::string& path);

  bool IsAbsent() const { return is_absent_; }
  int get() const { return opened_.get(); }
  // The attributes it had when it was opened. Requires: not the working directory.
  const struct stat& attributes() const { return attributes_; }

 private:
  HostDirectory* above_ = nullptr;
  ScopedFd opened_;
  struct stat attributes_ {};
  size_t level_ = 0;  // how far below the working directory
  bool is_absent_ = false;
};

}  // namespace betr::fs
