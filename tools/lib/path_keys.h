// SPDX-License-Identifier: Apache-2.0
// Turns paths of the file system into keys of its trees.
#pragma once

#include <absl/status/status.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "betr/upsert.h"
#include "dag/table.h"
#include "fs/record.h"

namespace betr::tools {

// Follows paths through the entries in one tree. Names lie in zones. The content of a file with several names lies at
// its link home (fs/key.h). One thread.
class PathKeys {
 public:
  // `root` is the root of the tree of entries. Without it, paths are taken to have no zones and no link groups. `table`
  // and `functions` must outlive this.
  PathKeys(const dag::NodeTable& table, std::optional<NodeId> root, const UpsertRegistry& functions)
      : table_(table), root_(root), functions_(functions) {}

  // Returns the key of the path's entry. Cost: a lookup for each directory on the way.
  std::string Entry(std::string_view path);
  // Returns the key of a block of the content. Cost: as above and, for a file with several names, a lookup for each
  // home above.
  std::string Block(std::string_view path, uint64_t block);

  // Returns why a key may be wrong: an entry on the way could not be read, or a link group is in no home above.
  const absl::Status& status() const { return status_; }

 private:
  // Nothing if there is no such entry.
  std::optional<fs::EntryRecord> Read(const std::string& key);
  std::string GroupOf(const fs::Reference& reference);

  const dag::NodeTable& table_;
  const std::optional<NodeId> root_;
  const UpsertRegistry& functions_;
  std::vector<std::string> homes_;  // content prefixes of the link homes on the way to the entry, the root's first
  absl::Status status_;
};

}  // namespace betr::tools
