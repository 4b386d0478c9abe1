// SPDX-License-Identifier: Apache-2.0
// Node and block slots of a store. Their content is dirty (in memory only), clean in memory, or on disk only.
//
// Life of a node version: adopted dirty -> written once (NodeIo) -> clean. From then on its memory may go and come
// back. It never becomes dirty again: a change is a new version. The extent stays as long as the slot.
//
// When a node is written, its dirty blocks get new, clean slots that lie in its extent. Its old NodePtr is replaced by
// an equal one that names them. So a block slot is dirty for ever or clean for ever. A dirty slot that other versions
// still share stays with them.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>

#include "base/mutex.h"
#include "dag/source.h"
#include "dag/table.h"
#include "layout/stored_block.h"
#include "layout/table_codec.h"
#include "store/cache.h"

namespace betr::store {

class NodeIo;

// Stands for a number that a slot does not know.
inline constexpr uint64_t kUnknown = UINT64_MAX;

// A block that is only in memory.
class DirtyBlock final : public dag::BlockSlot {
 public:
  DirtyBlock(std::shared_ptr<Cache> cache, std::shared_ptr<const dag::Block> block);
  ~DirtyBlock() override;
  absl::StatusOr<std::shared_ptr<const dag::Block>> Get() const override { return block_; }
  std::shared_ptr<const dag::Block> Peek() const override { return block_; }
  size_t Count() const override { return block_->Count(); }
  Bytes Size() const override { return {block_->Payload().size()}; }

 private:
  std::shared_ptr<Cache> cache_;
  std::shared_ptr<const dag::Block> block_;
};

// A block that is on disk, and perhaps in memory too.
class StoredBlockSlot final : public dag::BlockSlot, public Cached {
 public:
  // `node`: in whose extent it lies; to name it in errors.
  StoredBlockSlot(std::shared_ptr<NodeIo> io, layout::ExtentRef extent, const layout::BlockEntry& entry,
                  NodeId node = kNoNode);
  ~StoredBlockSlot() override;

  absl::StatusOr<std::shared_ptr<const dag::Block>> Get() const override;
  std::shared_ptr<const dag::Block> Peek() const override;
  size_t Count() const override { return entry_.count; }
  Bytes Size() const override { return entry_.raw_size; }
  std::optional<uint64_t> Erases() const override;
  std::shared_ptr<const void> Drop() override;

  // Puts the content into memory. For a slot made of a block that is there anyway.
  void Fill(std::shared_ptr<const dag::Block> block);
  const layout::BlockEntry& entry() const { return entry_; }
  const layout::ExtentRef& extent() const { return extent_; }
  // "node 5: extent of 3 units at unit 17".
  std::string Place() const;

 private:
  std::shared_ptr<NodeIo> io_;
  const layout::ExtentRef extent_;
  const layout::BlockEntry entry_;
  const NodeId node_;
  mutable std::atomic<uint64_t> erases_{kUnknown};
  mutable Mutex mutex_;  // held while loading, so that a block is read once
  mutable std::shared_ptr<const dag::Block> block_ ABSL_GUARDED_BY(mutex_);
};

// One version of a node.
class NodeVersion final : public dag::NodeSlot, public Cached {
 public:
  // Dirty.
  NodeVersion(std::shared_ptr<NodeIo> io, NodeId id, dag::Node node);
  // On disk.
  NodeVersion(std::shared_ptr<NodeIo> io, NodeId id, layout::NodeAddress address);
  ~NodeVersion() override;

  absl::StatusOr<dag::NodePtr> Get() const override;
  dag::NodePtr Peek() const override;
  std::shared_ptr<const void> Drop() override;

  NodeId id() const { return id_; }
  // At least as many units as it takes on disk when it is written, or written anew. Once its content is known, this is
  // what the content may take, whether it is still in memory or not. Takes no locks.
  uint64_t UnitsBound() const { return units_bound_; }
  // The size of what it holds besides its header: messages or entries. An upper bound if it is not in memory.
  Bytes Content() const;
  bool Dirty() const { return !stored_.load(std::memory_order_acquire); }
  // Where it is stored; nothing while dirty.
  std::optional<layout::NodeAddress> Address() const;
  // Writes the node if it is dirty. Returns once it is stored, whoever did it, with the bytes that this call wrote.
  // `hint` is the unit after which it is best placed, and is moved on. Errors: no space; the device's; a block that
  // cannot be read.
  absl::StatusOr<Bytes> Store(uint64_t& hint) const;

 private:
  std::shared_ptr<NodeIo> io_;
  const NodeId id_;
  mutable std::atomic<uint64_t> units_bound_;
  mutable std::atomic<bool> stored_;
  mutable Mutex store_mutex_;  // held while the node is written
  mutable Mutex mutex_;        // held while the header is loaded
  mutable dag::NodePtr node_ ABSL_GUARDED_BY(mutex_);
  mutable std::optional<layout::NodeAddress> address_ ABSL_GUARDED_BY(mutex_);
  // The memory of a version that is born dirty, until it is stored. For that time it is also promised UnitsBound()
  // (layout/space_map.h).
  Bytes dirty_charge_{0};
};

// Where the version in a record of the node table is stored; nothing if there is no record, or the version is dirty.
std::optional<layout::NodeAddress> AddressOf(const dag::NodeRecord* record);
// UnitsBound() of a node's version; 0 if there is no record, or the node is dead.
uint64_t UnitsBoundOf(const dag::NodeRecord* record);

}  // namespace betr::store
