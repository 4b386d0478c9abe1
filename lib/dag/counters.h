// SPDX-License-Identifier: Apache-2.0
// Counts of structural events. Tests and benchmarks assert on these rather than on time.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "dag/partition.h"

namespace betr::dag {

struct Counters {
  using Count = std::atomic<uint64_t>;

  std::array<Count, 16> flushes_by_height{};  // height of the node flushed from; taller ones count in the last
  Count unshares{};                           // private copies of shared nodes
  Count relifts{};                            // nodes whose keys lost their translation
  Count splits{};
  Count merges{};          // of small neighbouring nodes
  Count carves{};          // gotos that became an edge
  Count gotos_buffered{};  // gotos that were put into a partition
  Count clones{};
  Count levels_grown{};  // above roots that were cloned themselves, or that others keep
  Count nodes_created{};
  Count nodes_reclaimed{};
  Count nodes_touched{};  // nodes that operations at the root read or changed: what makes a clone O(height)
  Count nodes_swept{};    // interior nodes that background work looked at to see whether there is anything to do
};

}  // namespace betr::dag
