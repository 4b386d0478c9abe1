// SPDX-License-Identifier: Apache-2.0
#include "stream_target.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include <filesystem>
#include <system_error>

#include "base/scoped_fd.h"

namespace betr::tools {
namespace {

bool IsInProc(const std::string& link) {
  const ScopedFd fd(OpenRetrying(link, O_PATH | O_NOFOLLOW));
  struct statfs system {};
  return fd.get() >= 0 && fstatfs(fd.get(), &system) == 0 && system.f_type == PROC_SUPER_MAGIC;
}

// Whether one of the symlinks that begin at `path` is in /proc.
bool HasLinkOfProc(std::filesystem::path path) {
  constexpr int kMostLinks = 40;  // the kernel's limit
  std::error_code error;
  for (int links = 0; links < kMostLinks && std::filesystem::is_symlink(path, error); ++links) {
    if (IsInProc(path)) return true;
    path = path.parent_path() / std::filesystem::read_symlink(path, error);
  }
  return false;
}

}  // namespace

bool IsDeviceItself(const std::string& path) {
  struct stat there {};
  return lstat(path.c_str(), &there) == 0 && (S_ISCHR(there.st_mode) || S_ISBLK(there.st_mode));
}

bool LeadsToStream(const std::string& path) {
  struct stat there {};
  if (stat(path.c_str(), &there) == 0 && !S_ISREG(there.st_mode) && !S_ISDIR(there.st_mode)) return true;
  return HasLinkOfProc(path);
}

}  // namespace betr::tools
