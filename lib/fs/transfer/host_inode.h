// SPDX-License-Identifier: Apache-2.0
// HostInode reads and sets the attributes of a file of the host, whatever the length of its path and whatever happens
// to it meanwhile.
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

// Whether every user may see an extended attribute of this name, and the file's owner may set it.
bool IsXattrOfAnybody(std::string_view name);

// Names and values, by name.
using Xattrs = std::vector<std::pair<std::string, std::string>>;

struct HostXattrs {
  Xattrs values;
  // Those whose values this user may not read, by name.
  std::vector<std::pair<std::string, absl::Status>> withheld;
};

// Errors name `path` and the system call.
class HostInode {
 public:
  // The file that `file` is open on or, if that is -1, what has `name` in `directory`, which is not followed. All
  // outlive this.
  HostInode(int file, int directory, const std::string& name, const std::string& path)
      : file_(file), directory_(directory), name_(name), path_(path) {}

  absl::StatusOr<struct stat> Stat() const;

  absl::Status SetOwner(uid_t uid, gid_t gid) const;
  // EOPNOTSUPP for a symlink, provided that /proc is there.
  absl::Status SetPermissions(mode_t permissions) const;
  // Adds those of these permissions that the owner lacks, for what is done next. Does nothing unless this user is the
  // owner, and nothing to a symlink. User 0 needs no permissions.
  void AllowOwner(mode_t permissions) const;
  absl::Status SetTimes(const FileTime& accessed, const FileTime& modified) const;

  // Returns all extended attributes; none where they are not supported.
  absl::StatusOr<HostXattrs> Xattrs() const;
  // ENODATA if there is none, EOPNOTSUPP where they are not supported.
  absl::StatusOr<std::string> Xattr(const std::string& name) const;
  // Ok also if the host does not support it, or denies it to this user.
  absl::Status SetXattr(const std::string& name, std::string_view value) const;
  bool HasXattr(const std::string& name) const;
  // Ok also if there is none.
  absl::Status RemoveXattr(const std::string& name) const;

 private:
  // The path for what is not open, since the calls for extended attributes take no directory.
  std::string XattrPath() const;
  absl::StatusOr<std::string> FetchXattr(const std::string& where, const std::string& name) const;

  const int file_;
  const int directory_;
  const std::string& name_;
  const std::string& path_;
};

}  // namespace betr::fs
