// SPDX-License-Identifier: Apache-2.0
#include "device/sync_directory.h"

#include <unistd.h>

#include <cerrno>
#include <filesystem>

#include "base/scoped_fd.h"
#include "device/device_error.h"

namespace betr {

absl::Status SyncDirectoryOf(const std::string& path) {
  std::filesystem::path parent = std::filesystem::path(path).parent_path();
  if (parent.empty()) parent = ".";
  const ScopedFd directory(OpenRetrying(parent, O_RDONLY | O_DIRECTORY));
  const auto flush = [&] { return fsync(directory.get()); };
  const bool is_flushed = directory.get() >= 0 && (Retrying(flush) == 0 || errno == EINVAL);
  return is_flushed ? absl::OkStatus() : DeviceError(parent.string(), "flush the directory", errno);
}

}  // namespace betr
