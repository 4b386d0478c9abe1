// SPDX-License-Identifier: Apache-2.0
// All trees of a state, by id and by name. This is a persistent value (base/persistent_map.h). So a state with one tree
// changed costs O(log trees), however many snapshots there are.
//
// Invariants
//   1. Each name of a tree leads to a tree that has it. No two trees have one name, but for images that are forged.
//   2. NameBytes() is the sum over all names.
//   3. Each tree that is no snapshot is among the large roots, if its root is large.
#pragma once

#include <absl/status/status.h>

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "base/compression.h"
#include "base/persistent_map.h"
#include "betr/units.h"

namespace betr::store {

struct Tree {
  TreeId id;
  std::string name;
  NodeId root;
  Codec codec;
  bool snapshot = false;    // read-only
  uint64_t large_root = 0;  // units that its root takes, if that is more than a full node (state.h)
};

// Not thread-safe; copies may be used by different threads.
class TreeTable {
 public:
  using Map = PersistentMap<TreeId, Tree>;

  // Null if there is none. Valid as long as there is a table that has the tree unchanged.
  const Tree* Find(TreeId id) const { return by_id_.Find(id); }
  const Tree* FindName(std::string_view name) const;
  bool Contains(TreeId id) const { return by_id_.Contains(id); }

  // Inserts or replaces.
  void Set(Tree tree);
  // Requires: the tree is there.
  void SetRoot(TreeId id, NodeId root);
  void SetLargeRoot(TreeId id, uint64_t units);
  void Remove(TreeId id);

  size_t Size() const { return by_id_.Size(); }
  Bytes NameBytes() const { return name_bytes_; }

  // Pairs of id and tree, in the order of ids.
  Map::Iterator begin() const { return by_id_.begin(); }
  Map::Iterator end() const { return by_id_.end(); }

  // The large roots of trees that can be written to: units and tree, the largest first.
  using LargeRoots = PersistentMap<std::pair<uint64_t, TreeId>, std::monostate, std::greater<>>;
  const LargeRoots& Large() const { return large_roots_; }

 private:
  // Inserts or replaces a tree whose name stays.
  void Put(Tree tree);
  void ForgetLargeRoot(const Tree& tree);

  Map by_id_;
  PersistentMap<std::string, TreeId> by_name_;
  LargeRoots large_roots_;
  Bytes name_bytes_{0};
};

// The error kNotFound for a tree.
absl::Status NoSuchTree(TreeId id);
// The error kInvalidArgument for a change of a tree that is a snapshot.
absl::Status SnapshotIsReadOnly(const Tree& tree);

}  // namespace betr::store
