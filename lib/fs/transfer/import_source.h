// SPDX-License-Identifier: Apache-2.0
// ImportSource is one file of the host, as imports read it.
#pragma once

#include <absl/status/status.h>
#include <absl/status/statusor.h>
#include <sys/stat.h>

#include <cstdint>
#include <string>

#include "base/scoped_fd.h"
#include "fs/transfer/host_directory.h"
#include "fs/transfer/host_inode.h"

namespace betr::fs {

struct ImportSource {
  HostDirectory* directory;
  std::string name;  // in the directory
  std::string path;  // for messages

  // `opened` is the source, or -1. The source outlives it.
  HostInode Inode(int opened) const { return {opened, directory->get(), name, path}; }

  // Opens what is no directory, as far as it is to be read: `content` of a regular file, or the target of a symlink. By
  // now another file may have the name than the one that was looked at. What is opened is what counts, and `attributes`
  // become those of that file.
  absl::Status Open(struct stat* attributes, ScopedFd* content, std::string* link) const;
  // Returns the target of a symlink.
  absl::StatusOr<std::string> Target(const struct stat& attributes) const;
  // Returns what is left of the permissions for a copy without access control lists (Acl::PermissionsAlone). `opened`
  // is as for Inode.
  uint32_t PermissionsAlone(int opened, uint32_t permissions) const;

 private:
  absl::StatusOr<ScopedFd> OpenRegular(struct stat* attributes) const;
};

}  // namespace betr::fs
