// SPDX-License-Identifier: Apache-2.0
// What an earlier copy of a tree of the host can keep when the tree is copied over it: CopyOptions::update.
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
#include "fs/host_inode.h"
#include "fs/tree_copy.h"

namespace betr::fs {

// What an inode lacks, or has too much, to have certain attributes.
struct InodeDifference {
  Xattrs to_set;
  std::vector<std::string> to_remove;
  AttributeChange change;  // complete, if anything of it is to change
  bool has_change = false;

  bool Empty() const { return to_set.empty() && to_remove.empty() && !has_change; }
};

// Between what the inode has and what it is to have; of extended attributes, if these are given. Access times do not
// count, as copying changes them. Of extended attributes that only user 0 sees (trusted, security) nothing is removed
// for anybody else, and nothing that the original has with a value that was withheld.
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
  // What there is under a name.
  absl::StatusOr<std::optional<Found>> Find(InodeId directory, std::string_view name);

  // Whether it may be taken to have the content of `source`, whose target as a symbolic link is `link`: it is of the
  // same type, size and time of modification; the same device; a link to the same.
  absl::StatusOr<bool> HasContentOf(const Found& found, const struct stat& source, const std::string& link);
  // Whether a content that is to be that of `source` can be changed where it is: a regular file of one name, both so
  // large that this may spare more than it costs. (A file that is made while it is read, as in /proc, has no size.)
  static bool MayChange(const FileAttributes& attributes, const struct stat& source);
  // Claims what is found as the copy of `source`; false if it is that of another file: names that are links in one tree
  // need not be in the other, and in the place of one file may be what another one has just become. The first one that
  // claims what has several names, or for `source` having some, has it.
  bool Claim(const FileAttributes& attributes, const struct stat& source);

 private:
  FileSystem& fs_;
  std::map<uint64_t, HostFileId> copies_;  // of files that have several names, here or on the host
};

}  // namespace betr::fs
