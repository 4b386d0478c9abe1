// SPDX-License-Identifier: Apache-2.0
#include "device/sync_directory.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

#include "device/device_error.h"

namespace betr {

absl::Status SyncDirectoryOf(const std::string& path) {
  std::filesystem::path parent = std::filesystem::path(path).parent_path();
  if (parent.empty()) parent = ".";
  int directory = -1;
  do {
    directory = open(parent.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  } while (directory < 0 && errno == EINTR);
  const bool is_flushed = directory >= 0 && (fsync(directory) == 0 || errno == EINVAL);
  const int error = errno;
  if (directory >= 0) close(directory);
  return is_flushed ? absl::OkStatus() : DeviceError(parent.string(), "flush the directory", error);
}

}  // namespace betr
