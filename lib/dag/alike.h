// SPDX-License-Identifier: Apache-2.0
// Generations that share a child also share messages that wait for it: those written before one was cloned from the
// other. A node holds the blocks of these messages once, however many of its edges show them.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <cstdint>
#include <vector>

#include "base/units.h"
#include "dag/node.h"

namespace betr::dag {

// Returns the number of runs with which two edges of a node begin alike. That many may be moved into one child, which
// takes the place of the child of both. 0 if the edges do not show the same part of the same child in the same way.
size_t RunsAlike(const Edge& a, const Edge& b);

// Returns the edges of a node, in order, that begin like edge `index` for the first `runs` runs; that edge is included.
std::vector<size_t> EdgesAlike(const Node& node, size_t index, size_t runs);

// The blocks of a node's messages. The node holds each once, however many of its views show it.
class BlockShares {
 public:
  // Describes the node as it is now.
  explicit BlockShares(const Node& node);

  // Returns the number of views that show the same block as this one, itself included.
  uint64_t Views(const BlockView& view) const;
  // Returns what belongs to one partition. It is its share of the blocks of its oldest `runs` runs, if each view of a
  // block has an equal share, rounded up, so that very many views of very little count, too. If all runs are meant, its
  // gotos are added. The sum over all partitions is about what the node holds.
  Bytes Of(const Partition& partition, size_t runs = SIZE_MAX) const;

 private:
  absl::flat_hash_map<const BlockSlot*, uint64_t> views_;
};

}  // namespace betr::dag
