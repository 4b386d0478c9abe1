// SPDX-License-Identifier: Apache-2.0
// Reads and writes nodes and blocks. It is the node source of a store. The slots that it makes keep it alive.
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <span>
#include <vector>

#include "base/helpers.h"
#include "base/mutex.h"
#include "dag/source.h"
#include "device/block_device.h"
#include "layout/node_codec.h"
#include "layout/space_map.h"
#include "store/deadline.h"
#include "store/slots.h"
#include "store/warnings.h"

namespace betr::store {

struct IoCounters {
  std::atomic<uint64_t> node_reads{0};
  std::atomic<uint64_t> block_reads{0};
  std::atomic<uint64_t> node_writes{0};
  std::atomic<uint64_t> bytes_read{0};
};

// Thread-safe.
class NodeIo final : public dag::NodeSource, public std::enable_shared_from_this<NodeIo> {
 public:
  // `next_version`: write versions from here on have not been used. `helpers`: the number of threads that compress
  // besides the one that writes. `warnings` is told of blocks that still cannot be read once `patience` with the device
  // has ended. They then move with their nodes as the damaged blocks that they are. Without it, such a block is an
  // error at once. The device and whatever else is referred to outlive everything made here.
  NodeIo(BlockDevice& device, std::shared_ptr<layout::SpaceMap> space, std::shared_ptr<Cache> cache,
         uint64_t next_version, unsigned helpers, Warnings* warnings = nullptr, std::chrono::milliseconds patience = {})
      : device_(device),
        space_(std::move(space)),
        cache_(std::move(cache)),
        next_version_(next_version),
        warnings_(warnings),
        patience_(patience),
        helpers_(helpers) {}

  std::shared_ptr<const dag::NodeSlot> Adopt(NodeId id, dag::Node node) override;
  std::shared_ptr<const dag::BlockSlot> Adopt(std::shared_ptr<const dag::Block> block) override;

  absl::StatusOr<dag::Node> ReadNode(NodeId id, const layout::NodeAddress& address);
  absl::StatusOr<std::shared_ptr<const dag::Block>> ReadBlock(const StoredBlockSlot& slot);

  struct Written {
    layout::NodeAddress address;
    dag::Node node;  // equal to what was given, with clean slots
    Bytes bytes{0};
  };
  absl::StatusOr<Written> WriteNode(NodeId id, const dag::Node& node, uint64_t& hint);

  // Writes dirty nodes, oldest first, until dirty memory is at most `target`. Returns the bytes written.
  absl::StatusOr<Bytes> WriteOldest(Bytes target);

  const std::shared_ptr<Cache>& cache() const { return cache_; }
  layout::SpaceMap& space() const { return *space_; }
  IoCounters& counters() { return counters_; }
  uint64_t next_version() const { return next_version_.load(); }
  // The units by which UnitsBound() of nodes has risen. It counts the bound of each version from when it was made. For
  // a version that was on disk, it counts what loading has shown in addition. In the same time, the bounds of any set
  // of nodes have risen by no more than this.
  uint64_t BoundsRisen() const { return bounds_risen_; }
  void BoundRises(uint64_t units) { bounds_risen_ += units; }

 private:
  // Requires: out.size() is the stored size.
  absl::Status ReadStored(const StoredBlockSlot& slot, std::span<char> out);
  absl::StatusOr<layout::StoredBlock> FetchBlock(const layout::BlockUse& use, const Codec& codec, Deadline& until);
  absl::StatusOr<layout::StoredBlock> CopyPatiently(const StoredBlockSlot& slot, Deadline& until);
  absl::StatusOr<layout::StoredBlock> CopyBlock(const StoredBlockSlot& slot);
  bool IsLost(const StoredBlockSlot& slot, const absl::Status& failed);
  bool ReadsElsewhere();
  layout::StoredBlock CarryDamaged(const StoredBlockSlot& slot);
  std::shared_ptr<const NodeVersion> OldestDirty();
  void Remember(const std::shared_ptr<const NodeVersion>& version);

  BlockDevice& device_;
  std::shared_ptr<layout::SpaceMap> space_;
  std::shared_ptr<Cache> cache_;
  std::atomic<uint64_t> next_version_;
  std::atomic<uint64_t> bounds_risen_{0};
  Warnings* const warnings_;
  const std::chrono::milliseconds patience_;
  IoCounters counters_;
  Helpers helpers_;
  Mutex mutex_;
  std::vector<std::weak_ptr<const NodeVersion>> adopted_ ABSL_GUARDED_BY(mutex_);  // by age; some gone or clean
  size_t adopted_from_ ABSL_GUARDED_BY(mutex_) = 0;
  size_t prune_at_ ABSL_GUARDED_BY(mutex_) = 1024;
};

}  // namespace betr::store
