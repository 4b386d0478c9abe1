// SPDX-License-Identifier: Apache-2.0
// Who may clone. The kernel checks permissions of every request but ioctl, so these are ours to check.
#pragma once

#include <absl/functional/function_ref.h>
#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <cstdint>
#include <string_view>
#include <vector>

#include "betr/filesystem.h"
#include "fuse_api.h"

namespace betr::fuse {

struct Caller {
  uint32_t uid = 0;
  std::vector<uint32_t> groups;  // the effective one first

  bool IsRoot() const { return uid == 0; }
};

// Who sent the request. Requires: it has not been answered.
Caller CallerOf(fuse_req_t request);

// EPERM unless the caller owns what has these attributes; EACCES unless the owner may read, and search, it.
absl::Status CheckOwnAndReadable(const Caller& caller, const FileAttributes& attributes);

// EACCES unless the caller may make names in the directory. A directory with an access list counts as its owner's
// alone.
absl::Status CheckMayCreate(FileSystem& fs, const Caller& caller, InodeId directory);

// EACCES unless the caller may look names up in the directory; the same of access lists.
absl::Status CheckMaySearch(FileSystem& fs, const Caller& caller, InodeId directory);

// What `check` says of the first entry below a directory, at any depth, of which it does not say ok.
// Cost: reads all names.
absl::Status CheckAllBelow(FileSystem& fs, InodeId directory,
                           absl::FunctionRef<absl::Status(const FileAttributes&)> check);

// EPERM or EACCES unless the caller is root, or owns the source and all that is below and may read it, and no device is
// among it. Cost for others than root:
// reads all names.
absl::Status CheckMayCopy(FileSystem& fs, const Caller& caller, InodeId source);

// A directory by its path from the root, if the caller may go there. No symlinks. The caller forgets it.
absl::StatusOr<InodeId> FindDirectory(FileSystem& fs, const Caller& caller, std::string_view path);

}  // namespace betr::fuse
