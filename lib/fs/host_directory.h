// SPDX-License-Identifier: Apache-2.0
// The directories of the host that a copy is in: from the working directory down, each in the one before.
//
// Only the uppermost stay open all the time. Further down, a directory is closed while the copy is in one below it, and
// opened again from there, as its "..": a process may have some number of files open, and trees may be deeper.
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

  // One that is not there, and so has nothing in it: where nothing is made for a trial. It has no descriptor.
  static HostDirectory Absent();

  // Opens `name` in `above`, which outlives this and is not used before Leave. `path` is for messages.
  static absl::StatusOr<HostDirectory> Enter(HostDirectory* above, const std::string& name, const std::string& path);

  // Makes the directory above usable again: the last use of this one's names, but not of its descriptor. kAborted if
  // there is no way back, as this one has been moved away, or may not be searched any more: nothing above can be used
  // then.
  absl::Status Leave(const std::string& path);

  bool IsAbsent() const { return is_absent_; }
  int get() const { return opened_.get(); }
  // When it was opened; not of the working directory.
  const struct stat& attributes() const { return attributes_; }

 private:
  HostDirectory* above_ = nullptr;
  ScopedFd opened_;
  struct stat attributes_ {};
  size_t level_ = 0;  // how far below the working directory
  bool is_absent_ = false;
};

}  // namespace betr::fs
