// SPDX-License-Identifier: Apache-2.0
#include "fs/host_file.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/xattr.h>

#include <algorithm>
#include <cerrno>
#include <memory>

#include "base/status.h"
#include "betr/fs_error.h"

namespace betr::fs {
namespace {

// getxattr and listxattr: the size may change between asking for it and fetching.
template <class Call>
absl::StatusOr<std::string> FetchSized(std::string_view path, std::string_view name, const Call& call) {
  std::string bytes;
  for (;;) {
    const ssize_t size = call(nullptr, 0);
    if (size < 0) return HostError(path, name);
    bytes.resize(static_cast<size_t>(size));
    const ssize_t got = call(bytes.data(), bytes.size());
    if (got >= 0) {
      bytes.resize(static_cast<size_t>(got));
      return bytes;
    }
    if (errno != ERANGE) return HostError(path, name);
  }
}

bool Withheld(const absl::Status& status) {
  const int error = ToErrno(status);
  return error == EPERM || error == EACCES || error == ENODATA || error == EOPNOTSUPP;
}

}  // namespace

absl::Status HostError(std::string_view path, std::string_view call) {
  return ErrnoError(errno, fmt::format("{}: {}", path, call));
}

absl::StatusOr<HostFile> OpenAt(int directory, const std::string& name, int flags, unsigned mode,
                                std::string_view path) {
  HostFile file(openat(directory, name.c_str(), flags | O_CLOEXEC | O_NOFOLLOW, mode));
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

absl::StatusOr<std::vector<std::pair<std::string, std::string>>> ReadHostXattrs(const std::string& path) {
  std::vector<std::pair<std::string, std::string>> xattrs;
  const absl::StatusOr<std::string> list =
      FetchSized(path, "llistxattr", [&](char* out, size_t size) { return llistxattr(path.c_str(), out, size); });
  if (!list.ok()) {
    if (Withheld(list.status())) return xattrs;
    return list.status();
  }
  for (size_t at = 0; at < list->size();) {
    const std::string name = list->c_str() + at;
    at += name.size() + 1;
    absl::StatusOr<std::string> value = FetchSized(
        path, "lgetxattr", [&](char* out, size_t size) { return lgetxattr(path.c_str(), name.c_str(), out, size); });
    if (value.ok()) {
      xattrs.emplace_back(name, *std::move(value));
    } else if (!Withheld(value.status())) {
      return value.status();
    }
  }
  std::sort(xattrs.begin(), xattrs.end());
  return xattrs;
}

HostFileId IdOf(const struct stat& attributes) { return {.device = attributes.st_dev, .inode = attributes.st_ino}; }

FileTime ToFileTime(const timespec& time) { return {time.tv_sec, static_cast<uint32_t>(time.tv_nsec)}; }

timespec ToTimespec(const FileTime& time) {
  return {static_cast<time_t>(time.seconds), static_cast<long>(time.nanoseconds)};
}

}  // namespace betr::fs
