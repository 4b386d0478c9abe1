// SPDX-License-Identifier: Apache-2.0
// ExportedAttributes gives a copy on the host the attributes of its original, as far as the host takes them, and as
// CopyOptions want them.
#pragma once

#include <absl/status/status.h>
#include <absl/status/statusor.h>
#include <sys/stat.h>

#include <cstdint>
#include <string>
#include <vector>

#include "betr/filesystem.h"
#include "fs/transfer/export_reader.h"
#include "fs/transfer/host_inode.h"
#include "fs/transfer/tree_copy.h"

namespace betr::fs {

class ExportedAttributes {
 public:
  // The arguments outlive this. The reader is told of what the host refuses, and of what cannot be read.
  ExportedAttributes(FileSystem* fs, const CopyOptions& options, ExportReader* reader);

  // An inode in the file system.
  struct Original {
    InodeId inode;
    const FileAttributes& attributes;
    const std::string& path;
  };

  // Sets the attributes. To be called when nothing else of the copy will be changed. With CopyOptions::update the copy
  // loses what the original does not have.
  absl::Status Set(const Original& original, const HostInode& made);

  // Whether the copy has all of these already, apart from its time of access.
  absl::StatusOr<bool> AreSet(const Original& original, const HostInode& made);

 private:
  absl::Status SetMode(const FileAttributes& attributes, const HostInode& made) const;
  // The mode for a copy that is, apart from the mode, what `there` says.
  mode_t ModeFor(const FileAttributes& attributes, const struct stat& there) const;
  // If the host does not take a list, removes from `permissions` what they would then allow too much.
  absl::Status SetXattrs(const Original& original, const HostInode& made, uint32_t* permissions);
  // For a copy without lists.
  absl::Status LeaveOutList(const Original& original, uint32_t* permissions);
  // The xattrs that are to go from a copy whose original has only `names`.
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
