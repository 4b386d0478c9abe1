// SPDX-License-Identifier: Apache-2.0
// What a copy on the host has from the file that it is a copy of, as far as the host takes it, and what CopyOptions say
// of it.
#pragma once

#include <absl/status/status.h>
#include <absl/status/statusor.h>
#include <sys/stat.h>

#include <cstdint>
#include <string>
#include <vector>

#include "betr/filesystem.h"
#include "fs/export_reader.h"
#include "fs/host_inode.h"
#include "fs/tree_copy.h"

namespace betr::fs {

class ExportedAttributes {
 public:
  // All outlive this. What the host refuses, and what cannot be read, is told to the reader.
  ExportedAttributes(FileSystem* fs, const CopyOptions& options, ExportReader* reader);

  // An inode in the file system.
  struct Original {
    InodeId inode;
    const FileAttributes& attributes;
    const std::string& path;
  };

  // To be called when nothing else of the copy will be changed. With CopyOptions::update the copy loses what the
  // original does not have.
  absl::Status Set(const Original& original, const HostInode& made);

  // Whether the copy has all of that already, but for its time of access.
  absl::StatusOr<bool> AreSet(const Original& original, const HostInode& made);

 private:
  absl::Status SetMode(const FileAttributes& attributes, const HostInode& made) const;
  // Of a copy that is, but for the mode, what `there` says.
  mode_t ModeFor(const FileAttributes& attributes, const struct stat& there) const;
  // Takes from `permissions` what they would allow without a list that the host has not taken.
  absl::Status SetXattrs(const Original& original, const HostInode& made, uint32_t* permissions);
  // For a copy without lists.
  absl::Status LeaveOutList(const Original& original, uint32_t* permissions);
  // Those that are to go from a copy whose original has only `names`.
  std::vector<std::string> Others(const std::vector<std::string>& names, const HostXattrs& there) const;
  absl::Status RemoveOtherXattrs(const std::vector<std::string>& names, const HostInode& made) const;
  absl::StatusOr<bool> HasXattrs(const Original& original, const HostInode& made);
  // Whether an attribute that the original does not have is to go from the copy.
  bool MayRemove(const std::string& xattr) const;

  FileSystem& fs_;
  const CopyOptions& options_;
  ExportReader& reader_;
  const mode_t umask_;
  const bool is_root_;
};

}  // namespace betr::fs
