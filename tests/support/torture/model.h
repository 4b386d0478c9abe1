// SPDX-License-Identifier: Apache-2.0
// What a store should hold: the oracle of the torture tests. It is a value. Copies share what did not change, so one
// can be kept for every batch. Two models, or a model and a store, hold the same if their digests are equal.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "betr/write_batch.h"

namespace betr::test {

using Contents = std::map<std::string, std::string>;

// Digests of entries in any order: what to add for one entry, and for the tree that has them.
uint64_t EntryDigest(std::string_view key, std::string_view value);
uint64_t TreeDigest(TreeId id, std::string_view name, bool snapshot, uint64_t entries);

class Model {
 public:
  struct Tree {
    std::string name;
    bool snapshot = false;
    std::shared_ptr<const Contents> contents;
    uint64_t entries = 0;  // sum of their digests
  };

  // Makes one change as the store is to make it. Fills in the ids of new trees. Requires: the store would accept it,
  // and upserts are appends.
  void Apply(Op& op);

  const std::map<TreeId, Tree>& trees() const { return trees_; }
  TreeId next_tree() const { return next_tree_; }
  uint64_t Digest() const;

 private:
  void Add(Op& op, std::shared_ptr<const Contents> contents, uint64_t entries, bool snapshot);
  void CloneOrRename(const Op& op);
  void Set(TreeId id, Contents contents);

  std::map<TreeId, Tree> trees_;
  TreeId next_tree_{1};
};

}  // namespace betr::test
