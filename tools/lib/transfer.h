// SPDX-License-Identifier: Apache-2.0
// Copies between the host and a file system, with progress: what fs/tree_copy.h does, as tools want it.
#pragma once

#include <absl/status/statusor.h>

#include <optional>
#include <string>

#include "betr/filesystem.h"
#include "fs/tree_copy.h"
#include "tool.h"

namespace betr::tools {

struct TransferOptions {
  bool all_attributes = false;            // owner, mode, times, xattrs, links; else the caller's, and of now
  bool all_root = false;                  // into the image: everything belongs to user 0 and group 0
  std::optional<FileTime> latest_time{};  // into the image: no time is later
};

using TransferCounts = fs::CopyTotals;

// In all four, `host` is a path and `inside` is a path in the image. What is at the destination stays, unless it has
// the name of something that is copied; directories are merged.
absl::StatusOr<TransferCounts> ImportTree(const Tool& tool, FileSystem* fs, const std::string& host,
                                          const std::string& inside, const TransferOptions& options);
absl::StatusOr<TransferCounts> ExportTree(const Tool& tool, FileSystem* fs, const std::string& inside,
                                          const std::string& host, const TransferOptions& options);

// The same for tar archives, "-" being stdin or stdout. The stream is not used besides.
absl::StatusOr<TransferCounts> ImportTar(const Tool& tool, FileSystem* fs, const std::string& archive,
                                         const std::string& inside, const TransferOptions& options);
absl::StatusOr<TransferCounts> ExportTar(const Tool& tool, FileSystem* fs, const std::string& inside,
                                         const std::string& archive, const TransferOptions& options);

}  // namespace betr::tools
