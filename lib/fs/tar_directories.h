// SPDX-License-Identifier: Apache-2.0
// The directories that an archive is unpacked into, with their times: what is made in a directory changes its times,
// and its own entry may have come long before.
//
// Memory: the directories on the way down, and one number for each that the archive gives times to.
#pragma once

#include <absl/container/flat_hash_set.h>

#include <span>
#include <string>
#include <vector>

#include "betr/path_filesystem.h"
#include "fs/tree_copy.h"

namespace betr::fs {

class TarDirectories {
 public:
  // Both outlive this.
  TarDirectories(FileSystem* fs, const CopyOptions& options) : fs_(*fs), options_(options) {}

  // Goes to the directory at `path`, names from the root on, leaving others. What is missing is made. The id is valid
  // until the next Enter or Leave.
  absl::StatusOr<InodeId> Enter(std::span<const std::string> path);
  // The times that `directory` has now are those that it is to keep.
  absl::Status Keep(InodeId directory);
  // Leaves all.
  absl::Status Leave() { return LeaveBelow(0); }

 private:
  struct Level {
    std::string name;
    OpenFile directory;
    FileAttributes attributes;  // as they were when it was entered
  };

  absl::Status LeaveBelow(size_t levels);
  absl::Status Restore(const Level& level);
  absl::StatusOr<Entry> Find(InodeId parent, const std::string& name);

  FileSystem& fs_;
  const CopyOptions& options_;
  std::vector<Level> levels_;              // the root first
  absl::flat_hash_set<uint64_t> keeping_;  // inode numbers
};

}  // namespace betr::fs
