// SPDX-License-Identifier: Apache-2.0
// What the parts of one open store share: the device and what is built on it, sizes, counters and health.
#pragma once

#include <atomic>
#include <memory>
#include <optional>

#include "base/mutex.h"
#include "betr/options.h"
#include "dag/change/edit.h"
#include "dag/counters.h"
#include "dag/shape.h"
#include "device/block_device.h"
#include "layout/format_options.h"
#include "layout/space_map.h"
#include "layout/superblock.h"
#include "store/cache.h"
#include "store/node_io.h"
#include "store/warnings.h"

namespace betr::store {

// Whether the store may still write. After a failed write it must not, since promises can no longer be kept.
// Thread-safe.
class Health {
 public:
  // Remembers the first failure.
  void Fail(const absl::Status& status) {
    const MutexLock lock(mutex_);
    if (status_.ok()) {
      status_ = absl::FailedPreconditionError("the store became read-only: " + std::string(status.message()));
    }
  }
  absl::Status status() const {
    const MutexLock lock(mutex_);
    return status_;
  }

 private:
  mutable Mutex mutex_;
  absl::Status status_ ABSL_GUARDED_BY(mutex_);
};

struct StoreCounters {
  std::atomic<uint64_t> checkpoints{0};
  std::atomic<uint64_t> bytes_checkpoint{0};
  std::atomic<uint64_t> bytes_eviction{0};
  std::atomic<uint64_t> bytes_batches{0};
  std::atomic<uint64_t> changes{0};  // in those batches
  std::atomic<uint64_t> write_stalls{0};
  std::atomic<uint64_t> write_stall_ns{0};
};

// What waited in interior nodes at the last count (headroom.cc).
struct WaitingCount {
  Bytes bytes{0};
  uint64_t come = 0;              // Core::waiting before that, without what was in front of the roots
  std::optional<uint64_t> risen;  // NodeIo::BoundsRisen() before that; nothing if nobody has counted
};

// Constant after opening, except for what is itself thread-safe.
struct Core {
  std::unique_ptr<BlockDevice> device;
  StoreOptions options;
  layout::Superblock superblock;  // as found at open
  dag::Shape shape;
  dag::Policy policy;
  std::shared_ptr<layout::SpaceMap> space;
  Bytes reserve{0};                  // of space (headroom.h)
  Bytes reserve_at_hand{0};          // the part of it that was there at opening, which is what counts for deletes
  std::atomic<uint64_t> waiting{0};  // bytes of messages in interior nodes, at most (headroom.h)
  mutable Mutex count_mutex;         // held for instants; none is taken under it
  mutable WaitingCount waiting_count ABSL_GUARDED_BY(count_mutex);
  std::shared_ptr<Cache> cache;
  std::unique_ptr<Warnings> warnings;  // null in an inspection
  std::shared_ptr<NodeIo> io;
  Health health;
  dag::Counters dag_counters;
  StoreCounters counters;

  dag::Context DagContext() { return {*io, options.functions, shape, dag_counters, policy}; }

  // Message buffers that are larger together are sealed, the largest first. Writers wait while all buffers, including
  // those that wait to be absorbed, are above the limit.
  Bytes SealSize() const;
  Bytes BufferLimit() const { return SealSize() * 2; }
  // The units of a full root.
  uint64_t FullRoot() const { return layout::FullNodeUnits(shape.node_size); }
  // A clone or rename of no more bytes than this copies (small_copy.h).
  Bytes CopyLimit() const { return shape.node_size / 4; }
  // Dirty memory above the soft limit is written out. At the hard limit writers wait.
  Bytes DirtySoftLimit() const { return cache->Budget() / 2; }
  Bytes DirtyHardLimit() const { return cache->Budget() / 4 * 3; }
};

inline Bytes Core::SealSize() const {
  constexpr Bytes kLargest = MiB(16);  // of what goes into a root at once (structure_heavy.cc)
  return std::max(std::min({shape.node_size * 4, cache->Budget() / 32, kLargest}), KiB(4));
}

}  // namespace betr::store
