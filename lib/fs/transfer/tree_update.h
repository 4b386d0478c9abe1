// SPDX-License-Identifier: Apache-2.0
// Decides what an earlier copy of a tree of the host can keep when the tree is copied over it (CopyOptions::update).
#pragma once

#include <absl/status/statusor.h>
#include <sys/stat.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "betr/filesystem.h"
#include "fs/held.h"
#include "fs/transfer/host_inode.h"
#include "fs/transfer/tree_copy.h"

namespace betr::fs {

// What an inode lacks, and what it has in excess, compared with the attributes that it is to have.
struct InodeDifference {
  Xattrs to_set;
  std::vector<std::string> to_remove;
  AttributeChange change;  // complete, if anything of it is to change
  bool has_change = false;

  bool Empty() const { return to_set.empty() && to_remove.empty() && !has_change; }
};

// Returns the difference between what the inode has and what it is to have. Extended attributes are compared only if
// they are given. Access times do not count, since copying changes them. Only user 0 removes extended attributes that
// only user 0 sees (trusted, security). Nothing is removed that the original has with a value that was withheld.
absl::StatusOr<InodeDifference> Compare(FileSystem& fs, InodeId inode, const std::optional<HostXattrs>& xattrs,
                                        const AttributeChange& attributes);
absl::Status Apply(FileSystem& fs, InodeId inode, const InodeDifference& difference);

class TreeUpdate {
 public:
  explicit TreeUpdate(FileSystem* fs) : fs_(*fs) {}

  struct Found {
    Held inode;
    FileAttributes attributes;
  };
  // Returns what there is under a name.
  absl::StatusOr<std::optional<Found>> Find(InodeId directory, std::string_view name);

  // Whether it may be taken to have the content of `source`: it looks alike and has the same target. `link` is that of
  // `source` as a symbolic link.
  absl::StatusOr<bool> HasContentOf(const Found& found, const struct stat& source, const std::string& link);
  // Whether content can be changed in place to become that of `source`. It can for a regular file with one name, if
  // both are so large that this may save more than it costs. (A file that is made while it is read, as in /proc, has no
  // size.)
  static bool MayChange(const FileAttributes& attributes, const struct stat& source);
  // Claims what is found as the copy of `source`. False if it is the copy of another file: names that are links in one
  // tree need not be links in the other, and what is in the place of one file may be what another one has just become.
  // If either has several names, the first source to claim the copy gets it.
  bool Claim(const FileAttributes& attributes, const struct stat& source);

 private:
  FileSystem& fs_;
  std::map<uint64_t, HostFileId> copies_;  // of files that have several names, here or on the host
};

}  // namespace betr::fs
