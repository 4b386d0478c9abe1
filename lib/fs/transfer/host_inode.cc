// SPDX-License-Identifier: Apache-2.0
#include "fs/transfer/host_inode.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/status.h"
#include "betr/fs_error.h"
#include "fs/acl.h"
#include "fs/transfer/host_file.h"

namespace betr::fs {
namespace {

// getxattr and listxattr: the size may change between asking for it and fetching.
template <class Call>
absl::StatusOr<std::string> FetchSized(std::string_view path, std::string_view name, const Call& call) {
  std::string bytes;
  for (;;) {
    const ssize_t size = call(nullptr, 0);
    if (size < 0) return HostError(path, name);
    bytes.resize(static_cast<size_t>(size));
    if (bytes.empty()) return bytes;  // for no bytes the call asks for the size once more
    const ssize_t got = call(bytes.data(), bytes.size());
    if (got >= 0) {
      bytes.resize(static_cast<size_t>(got));
      return bytes;
    }
    if (errno != ERANGE) return HostError(path, name);
  }
}

bool HasProc() {
  static const bool has_proc = access("/proc/self/fd", X_OK) == 0;
  return has_proc;
}

bool IsWithheld(const absl::Status& status) {
  const int error = ToErrno(status);
  return error == EPERM || error == EACCES || error == ENODATA || error == EOPNOTSUPP;
}

}  // namespace

bool IsXattrOfAnybody(std::string_view name) {
  return name.starts_with("user.") || name == kAccessAcl || name == kDefaultAcl;
}

absl::StatusOr<struct stat> HostInode::Stat() const {
  struct stat attributes {};
  const int result =
      file_ >= 0 ? fstat(file_, &attributes) : fstatat(directory_, name_.c_str(), &attributes, AT_SYMLINK_NOFOLLOW);
  if (result != 0) return HostError(path_, "stat");
  return attributes;
}

absl::Status HostInode::SetOwner(uid_t uid, gid_t gid) const {
  const int result =
      file_ >= 0 ? fchown(file_, uid, gid) : fchownat(directory_, name_.c_str(), uid, gid, AT_SYMLINK_NOFOLLOW);
  return result == 0 ? absl::OkStatus() : HostError(path_, "chown");
}

absl::Status HostInode::SetPermissions(mode_t permissions) const {
  // What has the name may have become a symbolic link meanwhile, which only /proc can keep from being followed.
  const int flags = HasProc() ? AT_SYMLINK_NOFOLLOW : 0;
  const int result = file_ >= 0 ? fchmod(file_, permissions) : fchmodat(directory_, name_.c_str(), permissions, flags);
  return result == 0 ? absl::OkStatus() : HostError(path_, "chmod");
}

void HostInode::AllowOwner(mode_t permissions) const {
  if (geteuid() == 0) return;
  const absl::StatusOr<struct stat> there = Stat();
  const bool may_miss = there.ok() && !S_ISLNK(there->st_mode) && there->st_uid == geteuid();
  if (!may_miss || (there->st_mode & permissions) == permissions) return;
  SetPermissions((there->st_mode & 07777) | permissions).IgnoreError();  // who misses it tells of it
}

absl::Status HostInode::SetTimes(const FileTime& accessed, const FileTime& modified) const {
  const timespec times[2] = {ToTimespec(accessed), ToTimespec(modified)};
  const int result =
      file_ >= 0 ? futimens(file_, times) : utimensat(directory_, name_.c_str(), times, AT_SYMLINK_NOFOLLOW);
  return result == 0 ? absl::OkStatus() : HostError(path_, "utimens");
}

std::string HostInode::XattrPath() const {
  if (directory_ == AT_FDCWD) return name_;
  return HasProc() ? fmt::format("/proc/self/fd/{}/{}", directory_, name_) : path_;
}

absl::StatusOr<std::string> HostInode::FetchXattr(const std::string& where, const std::string& name) const {
  return FetchSized(fmt::format("{}: {}", path_, name), "getxattr", [&](char* out, size_t size) {
    return file_ >= 0 ? fgetxattr(file_, name.c_str(), out, size) : lgetxattr(where.c_str(), name.c_str(), out, size);
  });
}

absl::StatusOr<HostXattrs> HostInode::Xattrs() const {
  HostXattrs xattrs;
  const std::string where = file_ >= 0 ? "" : XattrPath();
  const absl::StatusOr<std::string> list = FetchSized(path_, "listxattr", [&](char* out, size_t size) {
    return file_ >= 0 ? flistxattr(file_, out, size) : llistxattr(where.c_str(), out, size);
  });
  if (ToErrno(list.status()) == EOPNOTSUPP) return xattrs;
  BETR_RETURN_IF_ERROR(list.status());
  for (size_t at = 0; at < list->size();) {
    const std::string name = list->c_str() + at;
    at += name.size() + 1;
    absl::StatusOr<std::string> value = FetchXattr(where, name);
    if (value.ok()) {
      xattrs.values.emplace_back(name, *std::move(value));
    } else if (IsWithheld(value.status())) {
      xattrs.withheld.emplace_back(name, value.status());
    } else {
      return value.status();
    }
  }
  std::ranges::sort(xattrs.values);
  std::ranges::sort(xattrs.withheld, {}, [](const auto& xattr) -> const std::string& { return xattr.first; });
  return xattrs;
}

absl::StatusOr<std::string> HostInode::Xattr(const std::string& name) const {
  return FetchXattr(file_ >= 0 ? "" : XattrPath(), name);
}

bool HostInode::HasXattr(const std::string& name) const {
  const ssize_t size = file_ >= 0 ? fgetxattr(file_, name.c_str(), nullptr, 0)
                                  : lgetxattr(XattrPath().c_str(), name.c_str(), nullptr, 0);
  return size >= 0;
}

absl::Status HostInode::SetXattr(const std::string& name, std::string_view value) const {
  const int result = file_ >= 0 ? fsetxattr(file_, name.c_str(), value.data(), value.size(), 0)
                                : lsetxattr(XattrPath().c_str(), name.c_str(), value.data(), value.size(), 0);
  const bool is_refused = result != 0 && (errno == EOPNOTSUPP || errno == EPERM);
  return result == 0 || is_refused ? absl::OkStatus() : HostError(path_, "setxattr");
}

absl::Status HostInode::RemoveXattr(const std::string& name) const {
  const int result = file_ >= 0 ? fremovexattr(file_, name.c_str()) : lremovexattr(XattrPath().c_str(), name.c_str());
  const bool is_none = result != 0 && (errno == ENODATA || errno == EOPNOTSUPP);
  return result == 0 || is_none ? absl::OkStatus() : HostError(path_, "removexattr");
}

}  // namespace betr::fs
