// SPDX-License-Identifier: Apache-2.0
// The node table: node id -> {reference count, height, where its content is}. It is a persistent value: copying a table
// is O(1), and changing one entry of a copy copies one page and its few ancestors. So a reader, a snapshot and a
// running checkpoint each hold the table of their own instant. What two tables have in common is the same pages in
// memory. The pages on disk mirror those in memory (layout/table_codec.h): a page that has not changed since it was
// written is not written again.
//
// Invariants
//   1. A page is never changed once a second table can see it.
//   2. Count of a node = edges + buffered gotos + trees and snapshots that name it.
//   3. A node whose count fell to 0 stays, marked dead, until reclaim has given back what it references.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>

#include "base/units.h"
#include "dag/source.h"

namespace betr::dag {

struct NodeRecord {
  uint32_t references = 0;
  Height height = 0;
  EntryCount entries = {};  // Node::known_entries
  std::shared_ptr<const NodeSlot> slot;

  // Whether the node waits to be reclaimed.
  bool Dead() const { return references == 0; }
};

// A page of 64 entries: of records at level 0, of pages above.
struct TablePage {
  static constexpr int kFanoutBits = 6;  // an entry is found by so many bits of an id
  static constexpr size_t kFanout = size_t{1} << kFanoutBits;
  static constexpr uint8_t kMaxLevel = 10;  // of a root page that reaches all ids

  const uint8_t level;
  uint16_t used = 0;                                         // entries that are not empty
  uint64_t owner = 0;                                        // the table that may still change this page
  std::array<std::shared_ptr<TablePage>, kFanout> children;  // level > 0
  std::array<NodeRecord, kFanout> records;                   // level 0; unused entries have no slot
  // Where the page is stored; set once by the checkpoint that wrote it, owned by the layout layer.
  std::shared_ptr<const void> stored;

  TablePage(uint8_t page_level, uint64_t page_owner) : level(page_level), owner(page_owner) {}
  // Copies the entries for another owner; the copy is not stored yet.
  std::shared_ptr<TablePage> CopyFor(uint64_t new_owner) const;
};

class NodeTable {
 public:
  // Null if the id is not in the table. Valid until this table changes. O(log64 n).
  const NodeRecord* Find(NodeId id) const;
  // The first node at or after `id`, which becomes its id; null if there is none. O(log64 n).
  const NodeRecord* FindFrom(NodeId& id) const;
  // From now on the pages that exist are shared: call it on the copy that will be changed.
  void StartChanging();
  // Inserts or replaces. Requires: id is not kNoNode; record has a slot.
  void Set(NodeId id, NodeRecord record);
  // Requires: the id is in the table.
  void Remove(NodeId id);

  // In the order of ids.
  void ForEach(const std::function<void(NodeId, const NodeRecord&)>& visit) const;
  size_t Count() const { return count_; }
  // How many pages it has.
  size_t Pages() const { return pages_; }

  // For the layout layer: the root page (null if empty), and a table made of pages read from disk.
  const std::shared_ptr<TablePage>& Root() const { return root_; }
  static NodeTable FromRoot(std::shared_ptr<TablePage> root, size_t count, size_t pages);

 private:
  TablePage* Own(std::shared_ptr<TablePage>& page);

  std::shared_ptr<TablePage> root_;
  size_t count_ = 0;
  size_t pages_ = 0;
  uint64_t owner_ = 0;
};

// What a new node says about its entries, as far as it is known of its children.
EntryCount CountEntries(const NodeTable& table, const Node& node);

// The node with that id as the table has it. Errors: the source's; kDataLoss if the table does not know the id or
// disagrees with the node about its height.
absl::StatusOr<NodePtr> LoadNode(const NodeTable& table, NodeId id);

// Whoever begins at a tree's root asks this first, as CheckBelow does for those that pass kAboveRoot. Errors: kDataLoss
// if the node is a leaf or does not hold all keys.
absl::Status CheckRoot(NodeId id, const Node& node);
// What names a tree's root has no height of its own.
inline constexpr Height kAboveRoot = kMaxHeight + 1;

// Whoever goes on from one node to another that it names asks this first: a table and nodes that are each sound may
// still contradict each other. Errors: kDataLoss if the node is not lower than the one of height `above` that names
// it, or if what is sought in it, a key or a range, is not inside its bounds.
absl::Status CheckBelow(NodeId id, const Node& node, Height above, std::string_view key);
absl::Status CheckBelow(NodeId id, const Node& node, Height above, const Range& shown);

}  // namespace betr::dag
