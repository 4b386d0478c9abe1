// SPDX-License-Identifier: Apache-2.0
// Performs calls on a mounted file system, by the inode interface that FUSE uses.
#pragma once

#include <absl/status/statusor.h>

#include <vector>

#include "betr/path_filesystem.h"
#include "support/ace/call.h"

namespace betr::ace {

class Driver {
 public:
  // `fs` must outlive this.
  explicit Driver(FileSystem& fs) : fs_(fs), paths_(&fs) {}

  // Performs a call. Returns the inode number of what it made, else 0.
  absl::StatusOr<uint64_t> Do(const Call& call);

 private:
  absl::StatusOr<uint64_t> Make(const std::string& path, FileType type, uint32_t permissions,
                                const std::string& target = {});
  absl::Status DoWithInode(const Call& call, InodeId inode);
  absl::StatusOr<uint64_t> DoWithNames(const Call& call);
  absl::Status Copy(const Call& call, InodeId from);
  absl::StatusOr<uint64_t> Number(const std::string& path);

  FileSystem& fs_;
  PathFileSystem paths_;
  std::vector<OpenFile> open_;
};

}  // namespace betr::ace
