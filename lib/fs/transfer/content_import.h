// SPDX-License-Identifier: Apache-2.0
// ContentImport copies the content of a file of the host to a file in a file system.
#pragma once

#include <absl/status/status.h>
#include <absl/status/statusor.h>
#include <sys/stat.h>
#include <sys/types.h>

#include <functional>
#include <string>
#include <string_view>

#include "betr/filesystem.h"
#include "fs/transfer/tree_copy.h"

namespace betr::fs {

class ContentImport {
 public:
  // Told of what cannot be read. If it returns an error, that ends the copy. Otherwise the file ends there.
  using PassOver = std::function<absl::Status(const absl::Status&)>;

  // All outlive this. `totals` is kept up to date with what was read.
  ContentImport(FileSystem* fs, const CopyOptions& options, CopyTotals* totals, PassOver pass_over);

  // Fills a file that is empty: writes the parts of `file` that are no holes. `path` is that of the source.
  absl::Status Fill(int file, const std::string& path, InodeId inode);
  // Updates a file that has content: writes blocks that differ, and makes holes where the source has holes. Reads what
  // there was. Requires: the source has a size.
  absl::Status Update(int file, const std::string& path, InodeId inode);

 private:
  // What is in the copy so far. This decides what has to be written.
  enum class Has : uint8_t { kNothing, kContent };

  absl::StatusOr<bool> CopyParts(int file, const std::string& path, InodeId inode, const struct stat& source, Has has);
  absl::StatusOr<bool> CopyPart(int file, const std::string& path, InodeId inode, off_t at, off_t end, Has has);
  absl::Status WriteChanges(InodeId inode, uint64_t at, std::string_view bytes);
  // Removes the content in [begin, end).
  absl::Status MakeHole(InodeId inode, uint64_t begin, uint64_t end);

  FileSystem& fs_;
  const CopyOptions& options_;
  CopyTotals& totals_;
  const PassOver pass_over_;
  std::string buffer_;
  std::string there_;  // what the copy has in place of it
};

}  // namespace betr::fs
