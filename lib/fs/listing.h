// SPDX-License-Identifier: Apache-2.0
// Some entries of a directory at one instant, to be visited without the lock. It keeps the store's state of that
// instant, and so space that others may want to delete: whoever lists much lists in pieces.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "fs/core.h"

namespace betr::fs {

// Made under the lock, visited without it.
class Listing {
 public:
  // ENOTDIR. A removed directory has no entries.
  static absl::StatusOr<Listing> Of(Core& core, Inode& directory, std::string_view after);

  // As FileSystem::ReadDirectory, but for at most so many names. The name after which the next piece begins, unless the
  // visitor wants no more or the directory ends. Cost: one range scan; a read for each reference.
  absl::StatusOr<std::optional<std::string>> Visit(size_t max, absl::FunctionRef<bool(const DirectoryEntry&)> visit);

  // Under the lock again: the directory learns its names, if the listing went on from its start without a change.
  void Teach(Inode* directory) const;

 private:
  struct Home {
    std::string content;
    NumberContext context;
  };

  Listing() = default;
  absl::StatusOr<FileAttributes> Resolve(std::string_view value, std::string_view name) const;

  const Store* store_ = nullptr;
  TreeId meta_;
  std::shared_ptr<const ReadView> view_;
  std::string content_;
  std::string after_;
  NumberContext context_ = 0;
  std::vector<Home> homes_;  // nearest first
  bool removed_ = false;
  bool learning_ = false;
  uint64_t number_ = 0;  // of the listing in the set of names

  std::vector<std::string> visited_;  // while learning
  bool at_end_ = false;
};

// As FileSystem::LookupAfter, without the references; null for what leads nowhere.
struct FoundName {
  std::string name;
  Inode* inode;
};
absl::StatusOr<std::vector<FoundName>> FindAfter(Core& core, Inode& directory, std::string_view after, size_t max);

}  // namespace betr::fs
