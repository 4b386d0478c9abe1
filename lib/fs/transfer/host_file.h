// SPDX-License-Identifier: Apache-2.0
// The host's side of copying trees: system calls whose errors name the call and the path.
#pragma once

#include <absl/status/status.h>
#include <absl/status/statusor.h>
#include <sys/stat.h>

#include <ctime>
#include <string>
#include <string_view>
#include <vector>

#include "base/scoped_fd.h"
#include "betr/file_attributes.h"
#include "fs/transfer/tree_copy.h"

namespace betr::fs {

// The error of the system call that just failed: "path: call: text of errno".
absl::Status HostError(std::string_view path, std::string_view call);

// The umask of this process. It is 0 for a moment.
mode_t Umask();

// openat(2) with O_CLOEXEC and O_NOFOLLOW. `path` is for the message.
absl::StatusOr<ScopedFd> OpenAt(int directory, const std::string& name, int flags, unsigned mode,
                                std::string_view path);

// Returns the names in a directory without "." and "..", in memcmp order.
absl::StatusOr<std::vector<std::string>> ListHostDirectory(int directory, std::string_view path);

// Whether a file system is mounted on what has the name, or another directory of the same file system is bound to it.
bool IsMounted(int directory, const std::string& name);

HostFileId IdOf(const struct stat& attributes);

// Whether one may be taken to have the content of the other: it has the same type and, depending on that, the same size
// and time of modification, or device. That does not tell of directories, which is false, nor of targets of symlinks.
bool LooksAlike(const FileAttributes& inside, const struct stat& host);

FileTime ToFileTime(const timespec& time);
timespec ToTimespec(const FileTime& time);

}  // namespace betr::fs
