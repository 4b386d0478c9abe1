// SPDX-License-Identifier: Apache-2.0
// A list of changes that takes effect as a whole or not at all, over any number of trees, in the order in which the
// changes were added. It is also what one log record holds.
#pragma once

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "betr/bound.h"
#include "betr/size_limits.h"
#include "betr/units.h"

namespace betr {

// Values of the log format: never renumber.
enum class OpKind : uint8_t {
  kPut = 1,
  kErase = 2,
  kUpsert = 3,
  kEraseRange = 4,
  kClonePrefix = 5,
  kRenamePrefix = 6,
  kCreateTree = 7,  // key: name; value: compression
  kSnapshot = 8,    // key: name
  kDropTree = 9,
};

// One change. Which fields mean something depends on the kind.
struct Op {
  OpKind kind = OpKind::kPut;
  TreeId tree;
  TreeId to_tree;         // of clone and rename; the id of a tree or snapshot that is created
  uint16_t function = 0;  // of an upsert
  std::string key;        // or the source prefix of clone and rename
  std::string value;      // or the delta, or the destination prefix
  Range range;            // of erase_range
};

// How large a batch is, or may be at most (Store::MaxBatch).
struct BatchSize {
  Bytes bytes{0};        // of its log record: WriteBatch::Size() and what is in front of the changes
  uint64_t changes = 0;  // all of them
  uint64_t ranges = 0;   // those of ranges and prefixes
  Bytes bounds{0};       // of these: both bounds of a range, twice both prefixes of a clone or rename

  bool Within(const BatchSize& most) const {
    return bytes <= most.bytes && changes <= most.changes && ranges <= most.ranges && bounds <= most.bounds;
  }
};

class WriteBatch {
 public:
  WriteBatch() = default;
  WriteBatch(const WriteBatch&) = default;
  WriteBatch& operator=(const WriteBatch&) = default;
  // Leave an empty batch behind.
  WriteBatch(WriteBatch&& other) noexcept;
  WriteBatch& operator=(WriteBatch&& other) noexcept;
  ~WriteBatch() = default;

  void Put(TreeId tree, std::string_view key, std::string_view value);
  void Erase(TreeId tree, std::string_view key);
  void Upsert(TreeId tree, std::string_view key, uint16_t function, std::string_view delta);
  // Of an empty range, it is left out of the batch: nobody looks whether there is the tree.
  void EraseRange(TreeId tree, Range range);
  // Everything under `to` becomes what is under `from` at this place of the batch.
  void ClonePrefix(TreeId from_tree, std::string_view from, TreeId to_tree, std::string_view to);
  // Not onto its source, or below it: the store refuses the batch then.
  void RenamePrefix(TreeId from_tree, std::string_view from, TreeId to_tree, std::string_view to);

  // As Store::CreateTree; the changes that follow may use the tree. `id`: Store::UnusedTreeId, or any after it below
  // 2^62; trees that are made later get ids after it, so one near the end leaves none for them. TreeId{}: one that the
  // store chooses, whatever other writers do, so that the rest of the batch cannot use the tree; Store::FindTree knows
  // it afterwards.
  void CreateTree(TreeId id, std::string_view name, std::string_view compression = "");
  // As Store::Snapshot: what `tree` holds at this place of the batch. `id` as of CreateTree.
  void Snapshot(TreeId tree, std::string_view name, TreeId id = {});
  // As Store::DropTree.
  void DropTree(TreeId tree);

  // Lets the batch in when there is no space for anything else. For what makes the store smaller in the end, though it
  // does not only erase, and for what was accepted while there was space; and for nothing else: a store whose reserve
  // is used up takes no more deletes.
  void MayUseReserve() { may_use_reserve_ = true; }
  bool may_use_reserve() const { return may_use_reserve_; }

  bool Empty() const { return ops_.empty(); }
  void Clear() {
    ops_.clear();
    size_ = Bytes{0};
    may_use_reserve_ = false;
  }
  // About the bytes that the batch takes in the log.
  Bytes Size() const { return size_; }
  // What the store compares with Store::MaxBatch. Cost: O(changes).
  BatchSize Sizes() const;
  const std::vector<Op>& ops() const { return ops_; }

 private:
  friend class Store;
  void Add(Op op);

  std::vector<Op> ops_;
  Bytes size_{0};
  bool may_use_reserve_ = false;
};

}  // namespace betr
