// SPDX-License-Identifier: Apache-2.0
#include "device/lock_holders.h"

#include <absl/strings/numbers.h>
#include <absl/strings/str_cat.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <system_error>

namespace betr {
namespace {

namespace stdfs = std::filesystem;

bool IsSame(const struct stat& a, const struct stat& b) {
  return S_ISBLK(a.st_mode) ? S_ISBLK(b.st_mode) && a.st_rdev == b.st_rdev
                            : a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

// Whether the open file that a file of /proc/PID/fdinfo describes has a lock that is in the way of an OFD lock.
bool HasLock(const stdfs::path& fdinfo) {
  std::ifstream lines(fdinfo);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("lock:") && line.find("FLOCK") == std::string::npos) return true;
  }
  return false;
}

bool HoldsLock(const stdfs::path& process, const struct stat& file) {
  std::error_code error;
  for (stdfs::directory_iterator fd(process / "fd", error), end; !error && fd != end; fd.increment(error)) {
    // Looks at the lock first. stat() may take for ever if nobody answers for the file's file system any more.
    struct stat open {};
    if (HasLock(process / "fdinfo" / fd->path().filename()) && stat(fd->path().c_str(), &open) == 0 &&
        IsSame(open, file)) {
      return true;
    }
  }
  return false;
}

}  // namespace

std::string DescribeLockHolders(int fd) {
  std::string text;
  struct stat file {};
  if (fstat(fd, &file) != 0) return text;
  std::error_code error;
  for (stdfs::directory_iterator process("/proc", error), end; !error && process != end; process.increment(error)) {
    pid_t pid = 0;
    if (!absl::SimpleAtoi(process->path().filename().string(), &pid) || pid == getpid()) continue;
    if (!HoldsLock(process->path(), file)) continue;
    std::string name;
    std::ifstream comm(process->path() / "comm");
    std::getline(comm, name);
    absl::StrAppend(&text, text.empty() ? "" : ", ", "pid ", pid, " (", name, ")");
  }
  return text;
}

}  // namespace betr
