// SPDX-License-Identifier: Apache-2.0
// The host's side of copying trees: descriptors that close themselves, and system calls whose errors name call and
// path.
#pragma once

#include <absl/status/status.h>
#include <absl/status/statusor.h>
#include <sys/stat.h>
#include <unistd.h>

#include <ctime>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "betr/file_attributes.h"
#include "fs/tree_copy.h"

namespace betr::fs {

class HostFile {
 public:
  HostFile() = default;
  explicit HostFile(int descriptor) : descriptor_(descriptor) {}
  HostFile(HostFile&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  HostFile& operator=(HostFile&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    return *this;
  }
  ~HostFile() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  int get() const { return descriptor_; }

 private:
  int descriptor_ = -1;
};

// The error of the system call that just failed: "path: call: text of errno".
absl::Status HostError(std::string_view path, std::string_view call);

// openat(2) with O_CLOEXEC and O_NOFOLLOW. `path` is for the message.
absl::StatusOr<HostFile> OpenAt(int directory, const std::string& name, int flags, unsigned mode,
                                std::string_view path);

// The names in a directory without "." and "..", in memcmp order.
absl::StatusOr<std::vector<std::string>> ListHostDirectory(int directory, std::string_view path);

HostFileId IdOf(const struct stat& attributes);

FileTime ToFileTime(const timespec& time);
timespec ToTimespec(const FileTime& time);

}  // namespace betr::fs
