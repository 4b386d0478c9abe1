// SPDX-License-Identifier: Apache-2.0
#include "store/node_io.h"

#include <absl/container/flat_hash_map.h>
#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <utility>

#include "base/check.h"
#include "base/status.h"
#include "layout/extent_io.h"

namespace betr::store {
namespace {

using SlotMap = absl::flat_hash_map<const dag::BlockSlot*, std::shared_ptr<const dag::BlockSlot>>;

// The same view of the slot's clean twin.
dag::BlockView Twin(const dag::BlockView& view, const SlotMap& twins) {
  dag::BlockView twin = view;
  twin.slot = twins.at(view.slot.get());
  return twin;
}

dag::Node TwinOf(const dag::Node& node, const SlotMap& twins) {
  dag::Node twin = node;
  for (dag::Edge& edge : twin.edges) {
    for (dag::BlockView& run : edge.partition.runs) {
      run = Twin(run, twins);
    }
  }
  for (dag::BlockView& basement : twin.basements) {
    basement = Twin(basement, twins);
  }
  return twin;
}

}  // namespace

std::shared_ptr<const dag::NodeSlot> NodeIo::Adopt(NodeId id, dag::Node node) {
  auto version = std::make_shared<NodeVersion>(shared_from_this(), id, std::move(node));
  Remember(version);
  return version;
}

void NodeIo::Remember(const std::shared_ptr<const NodeVersion>& version) {
  const MutexLock lock(mutex_);
  adopted_.emplace_back(version);
  if (adopted_.size() < prune_at_) {
    return;
  }
  adopted_.erase(adopted_.begin(), adopted_.begin() + static_cast<ptrdiff_t>(adopted_from_));
  adopted_from_ = 0;
  std::erase_if(adopted_, [](const std::weak_ptr<const NodeVersion>& held) {
    const std::shared_ptr<const NodeVersion> alive = held.lock();
    return alive == nullptr || !alive->Dirty();
  });
  prune_at_ = std::max<size_t>(1024, 2 * adopted_.size());
}

std::shared_ptr<const dag::BlockSlot> NodeIo::Adopt(std::shared_ptr<const dag::Block> block) {
  return std::make_shared<DirtyBlock>(cache_, std::move(block));
}

absl::StatusOr<dag::Node> NodeIo::ReadNode(NodeId id, const layout::NodeAddress& address) {
  std::string header(layout::UnitBytes(address.header_units).value, '\0');
  BETR_RETURN_IF_ERROR(layout::ReadExtent(device_, *address.extent, Bytes{0}, header));
  ++counters_.node_reads;
  counters_.bytes_read += header.size();
  const auto make_slot = [&](const layout::BlockEntry& entry) {
    return std::make_shared<StoredBlockSlot>(shared_from_this(), address.extent, entry);
  };
  return layout::DecodeNode(id, address.version, header, address.extent->address().Size(), make_slot);
}

absl::StatusOr<std::shared_ptr<const dag::Block>> NodeIo::ReadBlock(const layout::ExtentRef& extent,
                                                                    const layout::BlockEntry& entry) {
  std::string stored(entry.stored_size.value, '\0');
  BETR_RETURN_IF_ERROR(layout::ReadExtent(device_, *extent, entry.offset, stored));
  ++counters_.block_reads;
  counters_.bytes_read += stored.size();
  absl::StatusOr<std::shared_ptr<const dag::Block>> block = layout::DecodeBlock(entry, stored);
  if (!block.ok()) {
    return Annotate(block.status(), layout::ToString(extent->address()));
  }
  return block;
}

// A clean block that is not in memory moves as it is; any other is compressed anew.
absl::StatusOr<layout::StoredBlock> NodeIo::FetchBlock(const layout::BlockUse& use, const Codec& codec) {
  if (const std::shared_ptr<const dag::Block> block = use.slot->Peek()) {
    const std::shared_ptr<const dag::Block> trimmed = layout::Trim(*block, use.shown);
    return layout::MakeStoredBlock(codec, trimmed == nullptr ? *block : *trimmed);
  }
  const auto* slot = dynamic_cast<const StoredBlockSlot*>(use.slot);
  Check(slot != nullptr, "a block that is not in memory is on disk");
  std::string stored(slot->entry().stored_size.value, '\0');
  BETR_RETURN_IF_ERROR(layout::ReadExtent(device_, *slot->extent(), slot->entry().offset, stored));
  ++counters_.block_reads;
  counters_.bytes_read += stored.size();
  return layout::CopyStoredBlock(slot->entry(), std::move(stored));
}

absl::StatusOr<NodeIo::Written> NodeIo::WriteNode(NodeId id, const dag::Node& node, uint64_t& hint) {
  const uint64_t version = next_version_++;
  const auto fetch = [&](const layout::BlockUse& use) { return FetchBlock(use, node.codec); };
  BETR_ASSIGN_OR_RETURN(const layout::NodeImage image, layout::EncodeNode(id, version, node, fetch, &helpers_));
  BETR_ASSIGN_OR_RETURN(const layout::ExtentRef extent, space_->AllocateAnyhow(image.Units(), hint));
  hint = extent->address().scattered ? layout::SpaceMap::kNoHint : extent->address().end();
  BETR_RETURN_IF_ERROR(layout::WriteExtent(device_, *extent, Bytes{0}, image.bytes));
  BETR_RETURN_IF_ERROR(layout::WriteExtentMap(device_, *extent, {id.value, version}));
  ++counters_.node_writes;
  SlotMap twins;
  for (const layout::NodeImage::StoredSlot& stored : image.blocks) {
    auto twin = std::make_shared<StoredBlockSlot>(shared_from_this(), extent, stored.entry);
    if (auto block = stored.trimmed ? nullptr : stored.slot->Peek()) {
      twin->Fill(std::move(block));
    }
    twins[stored.slot] = std::move(twin);
  }
  return Written{{extent, image.header_units, version}, TwinOf(node, twins), Bytes{image.bytes.size()}};
}

std::shared_ptr<const NodeVersion> NodeIo::OldestDirty() {
  const MutexLock lock(mutex_);
  while (adopted_from_ < adopted_.size()) {
    std::shared_ptr<const NodeVersion> version = adopted_[adopted_from_++].lock();
    if (version != nullptr && version->Dirty()) {
      return version;
    }
  }
  return nullptr;
}

absl::StatusOr<Bytes> NodeIo::WriteOldest(Bytes target) {
  Bytes written{0};
  uint64_t hint = layout::SpaceMap::kNoHint;
  while (cache_->Dirty() > target) {
    const std::shared_ptr<const NodeVersion> version = OldestDirty();
    if (version == nullptr) {
      break;
    }
    absl::StatusOr<Bytes> bytes = version->Store(hint);
    if (!bytes.ok()) {
      Remember(version);
      return bytes.status();
    }
    written += *bytes;
  }
  return written;
}

}  // namespace betr::store
