// SPDX-License-Identifier: Apache-2.0
// TarDirectories are the directories that an archive is unpacked into, with their times. What is made in a directory
// changes its times, and its own entry may have come long before. Symbolic links on the way are followed as after
// chroot(2) into the destination: nothing leads out of it. What a link leads to is never made.
//
// Memory: the directories on the way down, and one number for each that the archive gives times to.
#pragma once

#include <absl/container/flat_hash_set.h>

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "betr/path_filesystem.h"
#include "fs/transfer/tree_copy.h"

namespace betr::fs {

class TarDirectories {
 public:
  enum class Missing { kMake, kFail };

  // `top`: the number of names of the destination. `fs` and `options` outlive this.
  TarDirectories(FileSystem* fs, const CopyOptions& options, size_t top) : fs_(*fs), options_(options), top_(top) {}

  // Goes to the directory at `path` (names from the root on), leaving others. The id is valid until Leave, or until the
  // next Enter of what is not below it. Errors: HasNoPlace for what is not below a directory, or is below a link that
  // cannot be followed; the file system's.
  absl::StatusOr<InodeId> Enter(std::span<const std::string> path, Missing missing = Missing::kMake);
  // The names, from the root on and without links, of what was entered last.
  std::vector<std::string> Place() const;
  // Makes `directory` keep the times that it has now.
  absl::Status Keep(InodeId directory);
  // Leaves all directories.
  absl::Status Leave() { return LeaveBelow(0); }

 private:
  using Names = std::vector<std::string>;
  struct Link {
    size_t at;  // in the names of the way
    std::string target;
  };
  struct Level {
    std::string name;
    OpenFile directory;
    FileAttributes attributes;  // as they were when it was entered
  };

  // Enters directories up to the first link, which it returns; nothing if it has entered all. The first `existing`
  // names are not made.
  absl::StatusOr<std::optional<Link>> Walk(const Names& way, size_t existing);
  // Finds the way on through a link.
  absl::Status Follow(const Link& link, Names* way, size_t* existing) const;
  absl::Status LeaveBelow(size_t levels);
  absl::Status Restore(const Level& level);
  absl::StatusOr<Entry> Find(InodeId parent, const std::string& name, Missing missing);

  FileSystem& fs_;
  const CopyOptions& options_;
  const size_t top_;
  std::vector<Level> levels_;              // the root first
  absl::flat_hash_set<uint64_t> keeping_;  // inode numbers
};

// Whether an error says that an entry cannot be where the archive has it, or cannot be a link to what it says. There is
// no directory where one is needed, or one where none can be, or a name is too long or means nothing below the
// destination.
bool HasNoPlace(const absl::Status& status);

}  // namespace betr::fs
