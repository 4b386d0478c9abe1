// SPDX-License-Identifier: Apache-2.0
// The attributes of a file of the host, whatever the length of its path and whatever happens to it meanwhile.
#pragma once

#include <absl/status/status.h>
#include <absl/status/statusor.h>
#include <sys/stat.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "betr/file_attributes.h"

namespace betr::fs {

// Whether every user may see such an extended attribute, and its owner set it.
bool IsXattrOfAnybody(std::string_view name);

// Names and values, by name.
using Xattrs = std::vector<std::pair<std::string, std::string>>;

struct HostXattrs {
  Xattrs values;
  // Those that are there, but with values that this user may not read; by name.
  std::vector<std::pair<std::string, absl::Status>> withheld;
};

// Errors name `path` and the system call.
class HostInode {
 public:
  // What `file` is open on; if that is -1, what has `name` in `directory`, and is not followed. All outlive this.
  HostInode(int file, int directory, const std::string& name, const std::string& path)
      : file_(file), directory_(directory), name_(name), path_(path) {}

  absl::StatusOr<struct stat> Stat() const;

  absl::Status SetOwner(uid_t uid, gid_t gid) const;
  // Of what is no symlink: EOPNOTSUPP, as far as /proc is there.
  absl::Status SetPermissions(mode_t permissions) const;
  // Gives the owner what he lacks of these, for what is done next: if this user is the owner, of what is no symlink.
  // User 0 needs no permissions.
  void AllowOwner(mode_t permissions) const;
  absl::Status SetTimes(const FileTime& accessed, const FileTime& modified) const;

  // All extended attributes; none where they are not supported.
  absl::StatusOr<HostXattrs> Xattrs() const;
  // ENODATA if there is none, EOPNOTSUPP where they are not supported.
  absl::StatusOr<std::string> Xattr(const std::string& name) const;
  // Ok also if the host does not support it, or denies it to this user.
  absl::Status SetXattr(const std::string& name, std::string_view value) const;
  bool HasXattr(const std::string& name) const;
  // Ok also if there is none.
  absl::Status RemoveXattr(const std::string& name) const;

 private:
  // For what is not open: calls for extended attributes take no directory.
  std::string XattrPath() const;
  absl::StatusOr<std::string> FetchXattr(const std::string& where, const std::string& name) const;

  const int file_;
  const int directory_;
  const std::string& name_;
  const std::string& path_;
};

}  // namespace betr::fs
