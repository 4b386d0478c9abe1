// SPDX-License-Identifier: Apache-2.0
// What imports read of one file of the host.
#pragma once

#include <absl/status/status.h>
#include <absl/status/statusor.h>
#include <sys/stat.h>

#include <cstdint>
#include <string>

#include "base/scoped_fd.h"
#include "fs/host_directory.h"
#include "fs/host_inode.h"

namespace betr::fs {

struct ImportSource {
  HostDirectory* directory;
  std::string name;  // in the directory
  std::string path;  // for messages

  // `opened` is the source, or -1. The source outlives it.
  HostInode Inode(int opened) const { return {opened, directory->get(), name, path}; }

  // What is no directory, as far as it is to be read: `content` of a regular file, the target of a symlink.
  // What has the name may be another file than the one that was looked at: what is opened is what counts, and
  // `attributes` become its.
  absl::Status Open(struct stat* attributes, ScopedFd* content, std::string* link) const;
  // Of a symlink.
  absl::StatusOr<std::string> Target(const struct stat& attributes) const;
  // What is left of them for a copy without access control lists (Acl::PermissionsAlone). `opened` as above.
  uint32_t PermissionsAlone(int opened, uint32_t permissions) const;

 private:
  absl::StatusOr<ScopedFd> OpenRegular(struct stat* attributes) const;
};

}  // namespace betr::fs
