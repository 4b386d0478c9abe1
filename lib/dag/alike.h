// SPDX-License-Identifier: Apache-2.0
// Generations that share a child wait for it with the same messages: what was written before they were cloned from each
// other. A node holds the blocks of these once, whatever number of its edges shows them.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <cstdint>
#include <vector>

#include "base/units.h"
#include "dag/node.h"

namespace betr::dag {

// How many runs two edges of a node begin with alike: so many may be moved into one child that takes the place of the
// child of both. None if they do not show the same part of the same child in the same way.
size_t RunsAlike(const Edge& a, const Edge& b);

// The edges of a node, in order, that begin with the first `runs` runs of edge `index` alike, and this edge itself.
std::vector<size_t> EdgesAlike(const Node& node, size_t index, size_t runs);

// The blocks of a node's messages, each of which it holds once, however many of its views show it.
class BlockShares {
 public:
  // Of the node as it is now.
  explicit BlockShares(const Node& node);

  // How many views show the same block as this one, which is one of them.
  uint64_t Views(const BlockView& view) const;
  // What belongs to one partition: its gotos, if all of it is meant, and of the blocks of its oldest runs the share
  // that is its own, if each view has as much of a block as the others, rounded up: so very many views of very little
  // count, too. That of all of them is about what the node holds.
  Bytes Of(const Partition& partition, size_t runs = SIZE_MAX) const;

 private:
  absl::flat_hash_map<const BlockSlot*, uint64_t> views_;
};

}  // namespace betr::dag
