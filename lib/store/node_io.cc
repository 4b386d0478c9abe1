// SPDX-License-Identifier: Apache-2.0
#include "store/node_io.h"

#include <absl/container/flat_hash_map.h>
#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <thread>
#include <utility>

#include "base/check.h"
#include "base/clock.h"
#include "base/compression.h"
#include "base/status.h"
#include "base/uninitialized.h"
#include "layout/extent_io.h"
#include "layout/superblock_slots.h"

namespace betr::store {
namespace {

using SlotMap = absl::flat_hash_map<const dag::BlockSlot*, std::shared_ptr<const dag::BlockSlot>>;

// Returns the same view of the slot's clean twin.
dag::BlockView Twin(const dag::BlockView& view, const SlotMap& twins) {
  dag::BlockView twin = view;
  twin.slot = twins.at(view.slot.get());
  return twin;
}

dag::Node TwinOf(const dag::Node& node, const SlotMap& twins) {
  dag::Node twin = node;
  for (dag::Edge& edge : twin.edges) {
    for (dag::BlockView& run : edge.partition.runs) run = Twin(run, twins);
  }
  for (dag::BlockView& basement : twin.basements) basement = Twin(basement, twins);
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
  if (adopted_.size() < prune_at_) return;
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
  std::string header = UninitializedString(layout::UnitBytes(address.header_units).value);
  if (absl::Status read = layout::ReadExtent(device_, *address.extent, Bytes{0}, header); !read.ok()) {
    return Annotate(read, fmt::format("node {}", id.value));
  }
  ++counters_.node_reads;
  counters_.bytes_read += header.size();
  const auto make_slot = [&](const layout::BlockEntry& entry) {
    return std::make_shared<StoredBlockSlot>(shared_from_this(), address.extent, entry, id);
  };
  return layout::DecodeNode(id, address.version, header, address.extent->address().Size(), make_slot);
}

absl::Status NodeIo::ReadStored(const StoredBlockSlot& slot, std::span<char> out) {
  if (absl::Status read = layout::ReadExtent(device_, *slot.extent(), slot.entry().offset, out); !read.ok()) {
    return Annotate(read, slot.Place());
  }
  ++counters_.block_reads;
  counters_.bytes_read += out.size();
  return absl::OkStatus();
}

absl::StatusOr<std::shared_ptr<const dag::Block>> NodeIo::ReadBlock(const StoredBlockSlot& slot) {
  std::string stored = UninitializedString(slot.entry().stored_size.value);
  BETR_RETURN_IF_ERROR(ReadStored(slot, stored));
  absl::StatusOr<std::shared_ptr<const dag::Block>> block = layout::DecodeBlock(slot.entry(), std::move(stored));
  return block.ok() ? block : Annotate(block.status(), slot.Place());
}

absl::StatusOr<layout::StoredBlock> NodeIo::CopyBlock(const StoredBlockSlot& slot) {
  std::string stored = UninitializedString(slot.entry().stored_size.value);
  BETR_RETURN_IF_ERROR(ReadStored(slot, stored));
  absl::StatusOr<layout::StoredBlock> block = layout::CopyStoredBlock(slot.entry(), std::move(stored));
  if (!block.ok()) return Annotate(block.status(), slot.Place());
  block->erases = slot.Erases();  // the slot may have seen the block, and know more than the entry
  return block;
}

// Returns whether a block that failed to be read twice is lost on the device. If it is only misread at the moment, it
// must stay where it is. A lost block reads the same each time, whatever the buffer held before, and other things can
// be read.
bool NodeIo::IsLost(const StoredBlockSlot& slot, const absl::Status& failed) {
  if (!absl::IsDataLoss(failed)) return absl::IsUnavailable(failed) && ReadsElsewhere();
  std::string once(slot.entry().stored_size.value, '\0');
  std::string again(once.size(), '\x5a');
  return ReadStored(slot, once).ok() && ReadStored(slot, again).ok() && once == again &&
         layout::ReadNewest(device_).ok();
}

bool NodeIo::ReadsElsewhere() {
  constexpr uint64_t kProbes = 8;
  const layout::UnitRange area = space_->area();
  std::string unit(layout::kUnit.value, '\0');
  uint64_t failed = 0;
  for (uint64_t probe = 0; probe < kProbes; ++probe) {
    // Probes other places each time, since what was read before may be in the system's memory: a prime number of units
    // further on for each read so far.
    constexpr uint64_t kStride = 7919;
    const uint64_t at = (area.units / kProbes * probe + counters_.block_reads * kStride) % area.units;
    failed += device_.Read(layout::UnitBytes(area.start + at), unit).ok() ? 0 : 1;
  }
  return failed < kProbes / 2;
}

// Returns what can be read of a block, zeros for the rest, and the checksum that it should have. So it remains a block
// that cannot be read, and does not keep its node from being written.
layout::StoredBlock NodeIo::CarryDamaged(const StoredBlockSlot& slot) {
  const layout::BlockEntry& entry = slot.entry();
  layout::StoredBlock block{entry.compression, entry.raw_size, entry.checksum,
                            entry.count,       entry.erases,   std::string(entry.stored_size.value, '\0')};
  const std::span<char> bytes(block.bytes);
  for (size_t from = 0; from < bytes.size();) {
    const uint64_t in_unit = (entry.offset.value + from) % layout::kUnit.value;
    const std::span<char> part = bytes.subspan(from, std::min(layout::kUnit.value - in_unit, bytes.size() - from));
    if (!layout::ReadExtent(device_, *slot.extent(), entry.offset + Bytes{from}, part).ok()) {
      std::ranges::fill(part, '\0');
    }
    from += part.size();
  }
  return block;
}

// Copies a block that failed to be read. Tries once more, since the block's place is going to be free. Goes on trying
// for a while if the device can read elsewhere.
absl::StatusOr<layout::StoredBlock> NodeIo::CopyPatiently(const StoredBlockSlot& slot, Deadline& until) {
  constexpr std::chrono::nanoseconds kFirstPause = std::chrono::milliseconds(100);
  constexpr std::chrono::nanoseconds kLongestPause = std::chrono::seconds(10);
  Clock& clock = SystemClock();
  const std::chrono::nanoseconds end = until.Begin(clock.Monotonic(), patience_);
  for (std::chrono::nanoseconds pause = kFirstPause;; pause = std::min(pause * 2, kLongestPause)) {
    absl::StatusOr<layout::StoredBlock> copy = CopyBlock(slot);
    const std::chrono::nanoseconds left = end - clock.Monotonic();
    if (copy.ok() || left.count() <= 0 || !absl::IsUnavailable(copy.status()) || !ReadsElsewhere()) return copy;
    std::this_thread::sleep_for(std::min(pause, left));
  }
}

// A block that is not in memory moves as it is stored. Any other is compressed anew.
absl::StatusOr<layout::StoredBlock> NodeIo::FetchBlock(const layout::BlockUse& use, const Codec& codec,
                                                       Deadline& until) {
  if (const std::shared_ptr<const dag::Block> block = use.slot->Peek()) {
    const std::shared_ptr<const dag::Block> trimmed = layout::Trim(*block, use.shown);
    const dag::Block& shown = trimmed == nullptr ? *block : *trimmed;
    if (Bytes{shown.Payload().size()} > kMaxRawSize) {
      return absl::InternalError(
          fmt::format("a block of {} bytes: at most {} can be stored", shown.Payload().size(), kMaxRawSize.value));
    }
    return layout::MakeStoredBlock(codec, shown);
  }
  const auto* slot = dynamic_cast<const StoredBlockSlot*>(use.slot);
  Check(slot != nullptr, "a block that is not in memory is on disk");
  absl::StatusOr<layout::StoredBlock> copy = CopyBlock(*slot);
  if (copy.ok() || warnings_ == nullptr || !IsUnreadable(copy.status())) return copy;
  copy = CopyPatiently(*slot, until);
  if (copy.ok() || !IsLost(*slot, copy.status())) return copy;
  warnings_->Tell(copy.status());
  return CarryDamaged(*slot);
}

absl::StatusOr<NodeIo::Written> NodeIo::WriteNode(NodeId id, const dag::Node& node, uint64_t& hint) {
  const uint64_t version = next_version_++;
  Deadline until;  // one for all of its blocks, counted from the first that fails
  const auto fetch = [&](const layout::BlockUse& use) { return FetchBlock(use, node.codec, until); };
  BETR_ASSIGN_OR_RETURN(const layout::NodeImage image, layout::EncodeNode(id, version, node, fetch, &helpers_));
  BETR_ASSIGN_OR_RETURN(const layout::ExtentRef extent, space_->AllocateAnyhow(image.Units(), hint));
  hint = extent->address().scattered ? layout::SpaceMap::kNoHint : extent->address().end();
  BETR_RETURN_IF_ERROR(layout::WriteExtent(device_, *extent, Bytes{0}, image.bytes));
  BETR_RETURN_IF_ERROR(layout::WriteExtentMap(device_, *extent, {id.value, version}));
  ++counters_.node_writes;
  SlotMap twins;
  for (const layout::NodeImage::StoredSlot& stored : image.blocks) {
    auto twin = std::make_shared<StoredBlockSlot>(shared_from_this(), extent, stored.entry, id);
    if (auto block = stored.trimmed ? nullptr : stored.slot->Peek()) twin->Fill(std::move(block));
    twins[stored.slot] = std::move(twin);
  }
  return Written{{extent, image.header_units, version}, TwinOf(node, twins), Bytes{image.bytes.size()}};
}

std::shared_ptr<const NodeVersion> NodeIo::OldestDirty() {
  const MutexLock lock(mutex_);
  while (adopted_from_ < adopted_.size()) {
    std::shared_ptr<const NodeVersion> version = adopted_[adopted_from_++].lock();
    if (version != nullptr && version->Dirty()) return version;
  }
  return nullptr;
}

absl::StatusOr<Bytes> NodeIo::WriteOldest(Bytes target) {
  Bytes written{0};
  uint64_t hint = layout::SpaceMap::kNoHint;
  while (cache_->Dirty() > target) {
    const std::shared_ptr<const NodeVersion> version = OldestDirty();
    if (version == nullptr) break;
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
