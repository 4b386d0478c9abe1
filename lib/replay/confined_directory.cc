// SPDX-License-Identifier: Apache-2.0
#include "replay/confined_directory.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>

namespace betr::replay {
namespace {

constexpr size_t kLongestOfCall = PATH_MAX - 1;

ScopedFd Failed(int error) {
  errno = error;
  return ScopedFd();
}

ScopedFd OpenAtOnce(int base, const std::string& path, int flags) {
  open_how how{};
  how.flags = static_cast<uint64_t>(static_cast<unsigned>(flags));
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS;
  return ScopedFd(
      static_cast<int>(Retrying([&] { return syscall(SYS_openat2, base, path.c_str(), &how, sizeof(how)); })));
}

constexpr int kDirectory = O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
constexpr int kAnything = O_PATH | O_NOFOLLOW | O_CLOEXEC;

// Old kernels do not know openat2, and some sandboxes forbid what they do not know.
ConfinedDirectory::Walk WalkOf(int directory) {
  return OpenAtOnce(directory, ".", kDirectory).get() >= 0 ? ConfinedDirectory::Walk::kAtOnce
                                                           : ConfinedDirectory::Walk::kBySteps;
}

}  // namespace

ConfinedDirectory::ConfinedDirectory(ScopedFd directory, Walk walk) : directory_(std::move(directory)), walk_(walk) {}

ConfinedDirectory::ConfinedDirectory(ScopedFd directory)
    : directory_(std::move(directory)), walk_(WalkOf(directory_.get())) {}

ScopedFd ConfinedDirectory::OpenBySteps(int base, std::string_view path, int flags) const {
  ScopedFd held;
  int at = base;
  while (true) {
    const size_t end = std::min(path.find('/'), path.size());
    const size_t next = std::min(path.find_first_not_of('/', end), path.size());
    const std::string name(path.substr(0, end));
    const bool is_last = next == path.size();
    // Beneath or not: a name of a trace has no reason to go up.
    if (name == ".." || name.empty()) return Failed(EXDEV);
    ScopedFd step(openat(at, name.c_str(), is_last && end == next ? flags : kDirectory));
    if (is_last || step.get() < 0) return step;
    held = std::move(step);
    at = held.get();
    path.remove_prefix(next);
  }
}

ScopedFd ConfinedDirectory::Open(int base, const std::string& path, int flags) const {
  return walk_ == Walk::kAtOnce ? OpenAtOnce(base, path, flags) : OpenBySteps(base, path, flags);
}

// In as many calls as the length of the path needs.
ScopedFd ConfinedDirectory::OpenLong(std::string_view path, int flags) const {
  if (path.empty()) return Failed(ENOENT);
  if (path.size() > kLongestConfinedPath) return Failed(ENAMETOOLONG);
  if (path.find('\0') != std::string_view::npos) return Failed(EINVAL);
  ScopedFd held;
  int at = directory_.get();
  while (path.size() > kLongestOfCall) {
    const size_t end = path.rfind('/', kLongestOfCall);
    if (end == std::string_view::npos || end == 0) return Failed(ENAMETOOLONG);
    ScopedFd step = Open(at, std::string(path.substr(0, end)), kDirectory);
    if (step.get() < 0) return step;
    held = std::move(step);
    at = held.get();
    path.remove_prefix(end + 1);
  }
  return Open(at, std::string(path), flags);
}

ConfinedDirectory::Entry ConfinedDirectory::Enter(std::string_view path) const {
  const size_t slash = path.rfind('/');
  std::string name(slash == std::string_view::npos ? path : path.substr(slash + 1));
  ScopedFd held;
  int directory = directory_.get();
  if (slash != std::string_view::npos) {
    held = OpenLong(path.substr(0, slash), kDirectory);
    directory = held.get();
  }
  int error = 0;
  if (name.empty()) error = ENOENT;
  if (name == "..") error = EXDEV;
  if (name.find('\0') != std::string::npos) error = EINVAL;
  if (error != 0 && directory >= 0) {
    errno = error;
    directory = -1;
  }
  return {std::move(held), directory, std::move(name)};
}

ScopedFd ConfinedDirectory::Find(std::string_view path) const { return OpenLong(path, kAnything); }

ScopedFd ConfinedDirectory::OpenFound(int descriptor, int flags) {
  // No type ever changes, so the file system need not be asked.
  struct statx status {};
  if (statx(descriptor, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_TYPE, &status) != 0) return ScopedFd();
  if (S_ISLNK(status.stx_mode)) return Failed(ELOOP);
  if (!S_ISREG(status.stx_mode) && !S_ISDIR(status.stx_mode)) return Failed(ENXIO);
  // The path ends in a link of the kernel's, which has to be followed.
  return ScopedFd(
      openat(AT_FDCWD, PathOfDescriptor(descriptor).c_str(), (flags & ~(O_NOFOLLOW | O_EXCL)) | O_CLOEXEC, 0));
}

std::string ConfinedDirectory::PathOfDescriptor(int descriptor) { return fmt::format("/proc/self/fd/{}", descriptor); }

}  // namespace betr::replay
