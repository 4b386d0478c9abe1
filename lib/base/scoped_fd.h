// SPDX-License-Identifier: Apache-2.0
// A file descriptor that somebody owns.
#pragma once

#include <fcntl.h>
#include <sys/types.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <utility>

namespace betr {

// Closes its file unless told that somebody else will. A negative number means that there is none.
class ScopedFd {
 public:
  ScopedFd() = default;
  explicit ScopedFd(int fd) : fd_(fd) {}
  ScopedFd(ScopedFd&& other) noexcept : fd_(other.Release()) {}
  ScopedFd& operator=(ScopedFd&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~ScopedFd() {
    if (fd_ >= 0) close(fd_);
  }
  int get() const { return fd_; }
  int Release() { return std::exchange(fd_, -1); }

 private:
  int fd_ = -1;
};

// Makes a system call that reports failure by -1. Repeats it when a signal has interrupted it.
template <class Call>
auto Retrying(Call call) {
  auto result = call();
  while (result == -1 && errno == EINTR) result = call();
  return result;
}

// open(2) whose descriptor is closed in programs that are executed. It is repeated when a signal has interrupted it. If
// the result is negative, errno says why.
inline int OpenRetrying(const std::string& path, int flags, mode_t mode = 0) {
  return Retrying([&] { return open(path.c_str(), flags | O_CLOEXEC, mode); });
}

}  // namespace betr
