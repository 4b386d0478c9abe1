// SPDX-License-Identifier: Apache-2.0
// A Listing is some entries of a directory at one instant, read without the lock. Until they are read, it keeps the
// store's state of that instant, and with it space that is deleted meanwhile. So large directories are listed in
// pieces, which are shown later.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "fs/core.h"

namespace betr::fs {

// A piece of a directory. Made under the lock, read without it.
class Listing {
 public:
  struct Item {
    std::string name;
    FileAttributes attributes;
  };

  // ENOTDIR. A removed directory has no entries.
  static absl::StatusOr<Listing> Of(Core& core, Inode& directory, std::string_view after);

  // Reads at most `max` entries. To be called once, since it gives up the state that it reads from, and which keeps
  // deleted space. After an error the items are those before it. Cost: one range scan; a read for each reference.
  absl::Status Read(size_t max);
  const std::vector<Item>& items() const { return items_; }
  // Whether the directory ends after these items.
  bool AtEnd() const { return at_end_; }

  // Teaches the directory its names, if the listing has gone on from its start without a change. To be called under the
  // lock again.
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
  bool learning_ = false;
  uint64_t number_ = 0;  // of the listing in the set of names

  std::vector<Item> items_;
  bool at_end_ = false;
};

// As FileSystem::LookupAfter, but without taking references. `inode` is null if the name leads nowhere, or cannot be
// followed because something cannot be read.
struct FoundName {
  std::string name;
  Inode* inode;
};
absl::StatusOr<std::vector<FoundName>> FindAfter(Core& core, Inode& directory, std::string_view after, size_t max);

}  // namespace betr::fs
