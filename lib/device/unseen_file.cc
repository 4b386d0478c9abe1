// SPDX-License-Identifier: Apache-2.0
#include "device/unseen_file.h"

#include <absl/strings/str_format.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <utility>

#include "base/scoped_fd.h"
#include "base/status.h"
#include "base/uuid.h"
#include "device/device_error.h"
#include "device/sync_directory.h"

namespace betr {
namespace {

// Returns 0 or the errno.
int Link(int fd, const std::string& to) {
  const std::string from = absl::StrFormat("/proc/self/fd/%d", fd);
  if (linkat(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), AT_SYMLINK_FOLLOW) == 0) return 0;
  const int error = errno;
  // This works without /proc, but not every process may do it.
  if (error != EEXIST && linkat(fd, "", AT_FDCWD, to.c_str(), AT_EMPTY_PATH) == 0) return 0;
  return errno == EEXIST ? EEXIST : error;
}

// Returns -1 if there are no files without names, or if they cannot be given one later.
int OpenUnnamed(const std::string& directory, mode_t mode) {
  const int fd = OpenRetrying(directory, O_RDWR | O_TMPFILE, mode);
  // Tests whether the file can be linked. The kernel looks up the file first, and only then finds that the name is
  // taken.
  if (fd < 0 || Link(fd, directory + "/.") == EEXIST) return fd;
  close(fd);
  return -1;
}

// Checks that a new file can be made at the path, so that nobody makes an image first and gets the error then.
int CheckName(const std::string& path) {
  struct stat there {};
  if (lstat(path.c_str(), &there) == 0) return EEXIST;
  if (errno != ENOENT) return errno;
  if (path.empty()) return ENOENT;
  return path.ends_with('/') ? EISDIR : 0;
}

// Takes the name with an empty file, so that nobody else can take it, and renames over that. Returns 0 or the errno.
int RenameOverEmpty(const std::string& from, const std::string& to) {
  const int fd = OpenRetrying(to, O_WRONLY | O_CREAT | O_EXCL, 0600);
  if (fd < 0) return errno;
  close(fd);
  if (rename(from.c_str(), to.c_str()) == 0) return 0;
  const int error = errno;
  unlink(to.c_str());
  return error;
}

bool IsSameFile(int fd, const std::string& path) {
  struct stat open {};
  struct stat named {};
  return fstat(fd, &open) == 0 && lstat(path.c_str(), &named) == 0 && open.st_dev == named.st_dev &&
         open.st_ino == named.st_ino;
}

}  // namespace

absl::StatusOr<std::unique_ptr<UnseenFile>> UnseenFile::Make(const std::string& path, mode_t mode) {
  BETR_RETURN_IF_ERROR(CheckPath(path));
  if (const int error = CheckName(path); error != 0) return DeviceError(path, "create", error);
  const std::filesystem::path parent = std::filesystem::path(path).parent_path();
  std::string hidden_path;
  int fd = OpenUnnamed(parent.empty() ? "." : parent.string(), mode);
  if (fd < 0) {
    hidden_path = parent / (".betr-" + FormatUuid(RandomUuid()));
    fd = OpenRetrying(hidden_path, O_RDWR | O_CREAT | O_EXCL, mode);
  }
  if (fd < 0) return DeviceError(path, "create", errno);
  return std::unique_ptr<UnseenFile>(new UnseenFile(path, std::move(hidden_path), fd));
}

UnseenFile::UnseenFile(std::string path, std::string hidden_path, int fd)
    : path_(std::move(path)), hidden_path_(std::move(hidden_path)), fd_(fd) {}

UnseenFile::~UnseenFile() {
  if (!hidden_path_.empty()) unlink(hidden_path_.c_str());  // it is gone if the file has appeared
  close(fd_);
}

absl::Status UnseenFile::Appear() {
  if (Retrying([this] { return fsync(fd_); }) != 0) return DeviceError(path_, "flush", errno);
  if (const int error = GiveName(); error != 0) return DeviceError(path_, "create", error);
  absl::Status durable = SyncDirectoryOf(path_);
  if (!durable.ok()) TakeNameBack();
  return durable;
}

// Returns 0 or the errno.
int UnseenFile::GiveName() const {
  if (hidden_path_.empty()) return Link(fd_, path_);
  if (renameat2(AT_FDCWD, hidden_path_.c_str(), AT_FDCWD, path_.c_str(), RENAME_NOREPLACE) == 0) return 0;
  // Not every file system knows the flag, or hard links.
  if (errno == EEXIST) return EEXIST;
  if (link(hidden_path_.c_str(), path_.c_str()) == 0) {
    unlink(hidden_path_.c_str());
    return 0;
  }
  return errno == EEXIST ? EEXIST : RenameOverEmpty(hidden_path_, path_);
}

void UnseenFile::TakeNameBack() const {
  if (IsSameFile(fd_, path_)) unlink(path_.c_str());  // but nothing that somebody else has put there
}

}  // namespace betr
