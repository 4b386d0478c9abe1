// SPDX-License-Identifier: Apache-2.0
#include "fs/transfer/import_source.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/status.h"
#include "betr/fs_error.h"
#include "fs/acl.h"
#include "fs/transfer/host_file.h"

namespace betr::fs {

absl::Status ImportSource::Open(struct stat* attributes, ScopedFd* content, std::string* link) const {
  if (S_ISREG(attributes->st_mode)) {
    BETR_ASSIGN_OR_RETURN(*content, OpenRegular(attributes));
  } else if (S_ISLNK(attributes->st_mode)) {
    BETR_ASSIGN_OR_RETURN(*link, Target(*attributes));
  } else if (!TypeOfMode(attributes->st_mode)) {
    return absl::InvalidArgumentError(path + ": a file of an unknown type");
  }
  return absl::OkStatus();
}

absl::StatusOr<std::string> ImportSource::Target(const struct stat& attributes) const {
  std::string target(static_cast<size_t>(std::max<off_t>(attributes.st_size, 4096)), '\0');
  const ssize_t size = readlinkat(directory->get(), name.c_str(), target.data(), target.size());
  if (size < 0) return HostError(path, "readlink");
  target.resize(static_cast<size_t>(size));
  return target;
}

// A list that cannot be read may give nothing to the group.
uint32_t ImportSource::PermissionsAlone(int opened, uint32_t permissions) const {
  const absl::StatusOr<std::string> value = Inode(opened).Xattr(std::string(kAccessAcl));
  if (value.ok()) return WithoutList(permissions, *value);
  const int error = ToErrno(value.status());
  return error == ENODATA || error == EOPNOTSUPP ? permissions : permissions & ~070U;
}

// A fifo is not waited for, and a device not read.
absl::StatusOr<ScopedFd> ImportSource::OpenRegular(struct stat* attributes) const {
  constexpr int kFlags = O_RDONLY | O_NONBLOCK | O_NOCTTY;
  BETR_ASSIGN_OR_RETURN(ScopedFd file, OpenAt(directory->get(), name, kFlags, 0, path));
  if (fstat(file.get(), attributes) != 0) return HostError(path, "stat");
  if (!S_ISREG(attributes->st_mode)) return absl::AbortedError(path + ": is no regular file any more");
  return file;
}

}  // namespace betr::fs
