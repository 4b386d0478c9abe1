// SPDX-License-Identifier: Apache-2.0
#include "store/slots.h"

#include <fmt/format.h>

#include <utility>

#include "base/check.h"
#include "base/status.h"
#include "layout/stored_bound.h"
#include "store/node_io.h"

namespace betr::store {
namespace {

constexpr Bytes kSlotOverhead{128};  // of a block in memory, besides its payload

std::optional<uint64_t> IfKnown(uint64_t number) { return number == kUnknown ? std::nullopt : std::optional(number); }

uint64_t UnitsOf(const dag::Node& node) { return layout::SpaceMap::UnitsWithMap(layout::StoredUnitsBound(node)); }

}  // namespace

DirtyBlock::DirtyBlock(std::shared_ptr<Cache> cache, std::shared_ptr<const dag::Block> block)
    : cache_(std::move(cache)), block_(std::move(block)) {
  cache_->AddDirty(block_->MemoryBytes() + kSlotOverhead);
}

DirtyBlock::~DirtyBlock() { cache_->RemoveDirty(block_->MemoryBytes() + kSlotOverhead); }

StoredBlockSlot::StoredBlockSlot(std::shared_ptr<NodeIo> io, layout::ExtentRef extent, const layout::BlockEntry& entry,
                                 NodeId node)
    : io_(std::move(io)), extent_(std::move(extent)), entry_(entry), node_(node) {
  if (entry.erases) erases_ = *entry.erases;
}

StoredBlockSlot::~StoredBlockSlot() { io_->cache()->Unregister(this); }

absl::StatusOr<std::shared_ptr<const dag::Block>> StoredBlockSlot::Get() const {
  std::shared_ptr<const dag::Block> block;
  {
    const MutexLock lock(mutex_);
    if (block_ != nullptr) {
      Touch();
      return block_;
    }
    BETR_ASSIGN_OR_RETURN(block_, io_->ReadBlock(*this));
    block = block_;
    erases_ = block->Erases();
  }
  io_->cache()->Register(const_cast<StoredBlockSlot*>(this), block->MemoryBytes() + kSlotOverhead);
  return block;
}

std::string StoredBlockSlot::Place() const {
  return fmt::format("node {}: {}", node_.value, layout::ToString(extent_->address()));
}

std::shared_ptr<const dag::Block> StoredBlockSlot::Peek() const {
  const MutexLock lock(mutex_);
  return block_;
}

void StoredBlockSlot::Fill(std::shared_ptr<const dag::Block> block) {
  const Bytes charge = block->MemoryBytes() + kSlotOverhead;
  {
    const MutexLock lock(mutex_);
    erases_ = block->Erases();
    block_ = std::move(block);
  }
  io_->cache()->Register(this, charge);
}

std::optional<uint64_t> StoredBlockSlot::Erases() const { return IfKnown(erases_); }

std::shared_ptr<const void> StoredBlockSlot::Drop() {
  const MutexLock lock(mutex_);
  return std::exchange(block_, nullptr);
}

NodeVersion::NodeVersion(std::shared_ptr<NodeIo> io, NodeId id, dag::Node node)
    : io_(std::move(io)),
      id_(id),
      units_bound_(UnitsOf(node)),
      stored_(false),
      node_(std::make_shared<const dag::Node>(std::move(node))) {
  dirty_charge_ = node_->MemoryBytes();
  io_->cache()->AddDirty(dirty_charge_);
  io_->space().Promise(units_bound_);
  io_->BoundRises(units_bound_);
}

NodeVersion::NodeVersion(std::shared_ptr<NodeIo> io, NodeId id, layout::NodeAddress address)
    : io_(std::move(io)),
      id_(id),
      units_bound_(layout::SpaceMap::UnitsWithMap(address.extent->address().units)),
      stored_(true),
      address_(std::move(address)) {}

NodeVersion::~NodeVersion() {
  if (Dirty()) {
    io_->cache()->RemoveDirty(dirty_charge_);
    io_->space().TakeBack(units_bound_);
  }
  io_->cache()->Unregister(this);
}

absl::StatusOr<dag::NodePtr> NodeVersion::Get() const {
  dag::NodePtr node;
  {
    const MutexLock lock(mutex_);
    if (node_ != nullptr) {
      Touch();
      return node_;
    }
    Check(address_.has_value(), "a node is in memory or on disk");
    BETR_ASSIGN_OR_RETURN(dag::Node read, io_->ReadNode(id_, *address_));
    node = node_ = std::make_shared<const dag::Node>(std::move(read));
    if (const uint64_t units = UnitsOf(*node), known = units_bound_; units > known) {
      units_bound_ = units;
      io_->BoundRises(units - known);
    }
  }
  io_->cache()->Register(const_cast<NodeVersion*>(this), node->MemoryBytes());
  return node;
}

dag::NodePtr NodeVersion::Peek() const {
  const MutexLock lock(mutex_);
  return node_;
}

std::shared_ptr<const void> NodeVersion::Drop() {
  const MutexLock lock(mutex_);
  return std::exchange(node_, nullptr);
}

Bytes NodeVersion::Content() const {
  const MutexLock lock(mutex_);
  return node_ != nullptr ? node_->Size()
                          : layout::UnitBytes(address_->extent->address().units - address_->header_units);
}

std::optional<layout::NodeAddress> NodeVersion::Address() const {
  const MutexLock lock(mutex_);
  return address_;
}

absl::StatusOr<Bytes> NodeVersion::Store(uint64_t& hint) const {
  const MutexLock store_lock(store_mutex_);
  if (!Dirty()) return Bytes{0};
  const dag::NodePtr node = Peek();
  BETR_ASSIGN_OR_RETURN(NodeIo::Written written, io_->WriteNode(id_, *node, hint));
  auto clean = std::make_shared<const dag::Node>(std::move(written.node));
  const Bytes charge = clean->MemoryBytes();
  {
    const MutexLock lock(mutex_);
    node_ = std::move(clean);
    address_ = std::move(written.address);
  }
  stored_.store(true, std::memory_order_release);
  io_->space().TakeBack(units_bound_);
  io_->cache()->RemoveDirty(dirty_charge_);
  io_->cache()->Register(const_cast<NodeVersion*>(this), charge);
  return written.bytes;
}

std::optional<layout::NodeAddress> AddressOf(const dag::NodeRecord* record) {
  const auto* version = record == nullptr ? nullptr : dynamic_cast<const NodeVersion*>(record->slot.get());
  return version == nullptr ? std::nullopt : version->Address();
}

uint64_t UnitsBoundOf(const dag::NodeRecord* record) {
  const auto* version =
      record == nullptr || record->Dead() ? nullptr : dynamic_cast<const NodeVersion*>(record->slot.get());
  return version == nullptr ? 0 : version->UnitsBound();
}

}  // namespace betr::store
