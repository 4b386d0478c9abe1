// SPDX-License-Identifier: Apache-2.0
#include "fs/transfer/host_file.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <memory>

#include "base/scoped_fd.h"
#include "base/status.h"
#include "betr/fs_error.h"

namespace betr::fs {
absl::Status HostError(std::string_view path, std::string_view call) {
  return ErrnoError(errno, fmt::format("{}: {}", path, call));
}

mode_t Umask() {
  const mode_t mask = umask(0);
  umask(mask);
  return mask;
}

absl::StatusOr<ScopedFd> OpenAt(int directory, const std::string& name, int flags, unsigned mode,
                                std::string_view path) {
  ScopedFd file(openat(directory, name.c_str(), flags | O_CLOEXEC | O_NOFOLLOW, mode));
  if (file.get() < 0) return HostError(path, "open");
  return file;
}

absl::StatusOr<std::vector<std::string>> ListHostDirectory(int directory, std::string_view path) {
  const int copy = openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (copy < 0) return HostError(path, "open");
  const std::unique_ptr<DIR, int (*)(DIR*)> stream(fdopendir(copy), closedir);
  if (stream == nullptr) return HostError(path, "fdopendir");
  std::vector<std::string> names;
  errno = 0;
  while (const dirent* entry = readdir(stream.get())) {
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") names.emplace_back(name);
    errno = 0;
  }
  if (errno != 0) return HostError(path, "readdir");
  std::sort(names.begin(), names.end());
  return names;
}

bool IsMounted(int directory, const std::string& name) {
  struct statx there {};
  const bool is_known = statx(directory, name.c_str(), AT_SYMLINK_NOFOLLOW, 0, &there) == 0 &&
                        (there.stx_attributes_mask & STATX_ATTR_MOUNT_ROOT) != 0;
  if (is_known) return (there.stx_attributes & STATX_ATTR_MOUNT_ROOT) != 0;
  // Linux before 5.8 does not tell. Then nothing is known about bind mounts.
  struct stat itself {};
  struct stat above {};
  return fstatat(directory, name.c_str(), &itself, AT_SYMLINK_NOFOLLOW) == 0 &&
         fstatat(directory, "", &above, AT_EMPTY_PATH) == 0 && itself.st_dev != above.st_dev;
}

HostFileId IdOf(const struct stat& attributes) { return {.device = attributes.st_dev, .inode = attributes.st_ino}; }

bool LooksAlike(const FileAttributes& inside, const struct stat& host) {
  if (TypeOfMode(host.st_mode) != inside.type || inside.type == FileType::kDirectory) return false;
  if (IsDevice(inside.type)) return inside.device == host.st_rdev;
  return inside.type != FileType::kRegular ||
         (inside.size == static_cast<uint64_t>(host.st_size) && inside.modified == ToFileTime(host.st_mtim));
}

FileTime ToFileTime(const timespec& time) { return {time.tv_sec, static_cast<uint32_t>(time.tv_nsec)}; }

timespec ToTimespec(const FileTime& time) {
  return {static_cast<time_t>(time.seconds), static_cast<long>(time.nanoseconds)};
}

}  // namespace betr::fs
