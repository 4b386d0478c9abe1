// SPDX-License-Identifier: Apache-2.0
// The content of a file of the host becomes that of one in a file system.
#pragma once

#include <absl/status/status.h>
#include <absl/status/statusor.h>
#include <sys/stat.h>
#include <sys/types.h>

#include <functional>
#include <string>
#include <string_view>

#include "betr/filesystem.h"
#include "fs/tree_copy.h"

namespace betr::fs {

class ContentImport {
 public:
  // Told of what cannot be read; an error that it returns ends the copy, else the file ends there.
  using PassOver = std::function<absl::Status(const absl::Status&)>;

  // All outlive this. `totals` gets what was read, as it goes on.
  ContentImport(FileSystem* fs, const CopyOptions& options, CopyTotals* totals, PassOver pass_over);

  // Of a file that is empty: writes the parts of `file` that are no holes. `path` is that of the source.
  absl::Status Fill(int file, const std::string& path, InodeId inode);
  // Of one with a content: writes blocks that differ, and makes holes where there are holes. Reads what there was. The
  // source has a size.
  absl::Status Update(int file, const std::string& path, InodeId inode);

 private:
  // What is in the copy so far, which decides what has to be written.
  enum class Has : uint8_t { kNothing, kContent };

  absl::StatusOr<bool> CopyParts(int file, const std::string& path, InodeId inode, const struct stat& source, Has has);
  absl::StatusOr<bool> CopyPart(int file, const std::string& path, InodeId inode, off_t at, off_t end, Has has);
  absl::Status WriteChanges(InodeId inode, uint64_t at, std::string_view bytes);
  // Nothing is left of a content between two places.
  absl::Status MakeHole(InodeId inode, uint64_t begin, uint64_t end);

  FileSystem& fs_;
  const CopyOptions& options_;
  CopyTotals& totals_;
  const PassOver pass_over_;
  std::string buffer_;
  std::string there_;  // what the copy has in place of it
};

}  // namespace betr::fs
