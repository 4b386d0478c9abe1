// SPDX-License-Identifier: Apache-2.0
// What betrreplay --convert does, in memory.
#pragma once

#include <absl/status/statusor.h>

#include <string>
#include <string_view>

#include "base/scoped_fd.h"

namespace betr::replay {

// A file that has a path but is on no disk.
class MemoryFile {
 public:
  explicit MemoryFile(std::string_view content);
  std::string path() const { return "/proc/self/fd/" + std::to_string(file_.get()); }

 private:
  ScopedFd file_;
};

// Converts a trace, given as lines of strace about /w or as the text form, to the compact form, and returns that as
// text.
absl::StatusOr<std::string> Converted(std::string_view trace);

}  // namespace betr::replay
