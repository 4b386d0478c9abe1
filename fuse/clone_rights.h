// SPDX-License-Identifier: Apache-2.0
// Who may clone. The kernel checks the permissions of every request except ioctl, so those are checked here.
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

// Returns who sent the request. Requires: it has not been answered.
Caller CallerOf(fuse_req_t request);

// EPERM unless the caller owns the file with these attributes. EACCES unless the owner may read it and, if it is a
// directory, search it.
absl::Status CheckOwnAndReadable(const Caller& caller, const FileAttributes& attributes);

// EACCES unless the caller may create names in the directory. If the directory has an access list, only its owner and
// root may.
absl::Status CheckMayCreate(FileSystem& fs, const Caller& caller, InodeId directory);

// EACCES unless the caller may look names up in the directory. Access lists count as in CheckMayCreate.
absl::Status CheckMaySearch(FileSystem& fs, const Caller& caller, InodeId directory);

// Calls `check` for all entries below a directory, at any depth, and returns the first error. Cost: reads all names.
absl::Status CheckAllBelow(FileSystem& fs, InodeId directory,
                           absl::FunctionRef<absl::Status(const FileAttributes&)> check);

// EPERM or EACCES unless the caller may copy the source and everything below it. Root may. Others must own all of it
// and be able to read it, and it must not contain a device. Cost: reads all names, except for root.
absl::Status CheckMayCopy(FileSystem& fs, const Caller& caller, InodeId source);

// Finds a directory by its path from the root, if the caller may search all directories on the way. Does not follow
// symlinks. Returns a reference that the caller must forget.
absl::StatusOr<InodeId> FindDirectory(FileSystem& fs, const Caller& caller, std::string_view path);

}  // namespace betr::fuse
