// SPDX-License-Identifier: Apache-2.0
// A list of changes to any number of trees. It takes effect as a whole or not at all, and its changes apply in the
// order in which they were added. One log record holds one batch.
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

// Stored in the log: never renumber.
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

// One change. Which fields have a meaning depends on the kind.
struct Op {
  OpKind kind = OpKind::kPut;
  TreeId tree;
  TreeId to_tree;         // destination of a clone or rename; id of a tree or snapshot to create
  uint16_t function = 0;  // of an upsert
  std::string key;        // or the source prefix of a clone or rename
  std::string value;      // or the delta, or the destination prefix
  Range range;            // of a range erase
};

// The size of a batch, or the largest allowed (Store::MaxBatch).
struct BatchSize {
  Bytes bytes{0};        // of the log record: WriteBatch::Size() and what precedes the changes
  uint64_t changes = 0;  // of any kind
  uint64_t ranges = 0;   // changes of ranges and prefixes
  Bytes bounds{0};       // of those: both bounds of a range, twice both prefixes of a clone or rename

  bool Within(const BatchSize& most) const {
    return bytes <= most.bytes && changes <= most.changes && ranges <= most.ranges && bounds <= most.bounds;
  }
};

class WriteBatch {
 public:
  WriteBatch() = default;
  WriteBatch(const WriteBatch&) = default;
  WriteBatch& operator=(const WriteBatch&) = default;
  // A batch that was moved from is empty.
  WriteBatch(WriteBatch&& other) noexcept;
  WriteBatch& operator=(WriteBatch&& other) noexcept;
  ~WriteBatch() = default;

  void Put(TreeId tree, std::string_view key, std::string_view value);
  void Erase(TreeId tree, std::string_view key);
  void Upsert(TreeId tree, std::string_view key, uint16_t function, std::string_view delta);
  // An empty range adds nothing to the batch, so it is not even checked that the tree exists.
  void EraseRange(TreeId tree, Range range);
  // Replaces everything under `to` by what is under `from` at this point of the batch.
  void ClonePrefix(TreeId from_tree, std::string_view from, TreeId to_tree, std::string_view to);
  // The store refuses the batch if the destination is the source or lies below it.
  void RenamePrefix(TreeId from_tree, std::string_view from, TreeId to_tree, std::string_view to);

  // As Store::CreateTree. The changes that follow may use the tree.
  //
  // `id` is Store::UnusedTreeId, or any later id below 2^62. Trees created afterwards get ids after it, so an id near
  // the end leaves none for them. With TreeId{} the store chooses the id, whatever other writers do. The rest of the
  // batch then cannot use the tree; Store::FindTree finds it afterwards.
  void CreateTree(TreeId id, std::string_view name, std::string_view compression = "");
  // As Store::Snapshot, of what `tree` holds at this point of the batch. `id` is as in CreateTree.
  void Snapshot(TreeId tree, std::string_view name, TreeId id = {});
  // As Store::DropTree.
  void DropTree(TreeId tree);

  // Lets the batch use the reserve when there is no other space. Use it only for batches that make the store smaller in
  // the end, though they do not only erase, and for changes that were accepted while there was space. A store whose
  // reserve is used up takes no more deletes.
  void MayUseReserve() { may_use_reserve_ = true; }
  bool may_use_reserve() const { return may_use_reserve_; }

  bool Empty() const { return ops_.empty(); }
  void Clear() {
    ops_.clear();
    size_ = Bytes{0};
    may_use_reserve_ = false;
  }
  // About how many bytes the batch takes in the log.
  Bytes Size() const { return size_; }
  // The sizes that the store compares with Store::MaxBatch. Cost: O(changes).
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
