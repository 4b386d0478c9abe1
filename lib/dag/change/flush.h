// SPDX-License-Identifier: Apache-2.0
// Moving messages down, one node at a time. work.h decides from which node and along which edge.
#pragma once

#include <absl/status/statusor.h>

#include <cstddef>
#include <cstdint>
#include <optional>

#include "dag/change/edit.h"
#include "dag/node.h"

namespace betr::dag {

// Moves what `parent` buffers for edge `index` into the child: everything, or only the oldest runs. The child may
// split; the edges around are healed. Other edges that begin alike with these runs (alike.h) go on with the same child,
// which has them now. Requires: the parent is the caller's alone, and no goto that stays is older than what is moved.
// Cost: at most one node read, and what reading the partition and, for a leaf, the touched basements takes.
inline constexpr size_t kAllRuns = SIZE_MAX;  // and gotos
absl::Status FlushEdge(Edit& edit, Node& parent, size_t index, size_t runs = kAllRuns);

// Puts messages, in root space and newer than all else, into the root's buffers. Returns the id of the root from now
// on. The caller's reference to `root` becomes one to the result. No I/O if the root is in memory.
absl::StatusOr<NodeId> Insert(Edit& edit, NodeId root, const Partition& news);

struct Flushed {
  NodeId root;                // from now on
  std::optional<Bound> next;  // where to go on, in root space; nothing if the end was reached
};

// Flushes everything behind `from` down to the leaves, then heals. This gives the most compact form that keeps shared
// nodes shared. Leaves of only one edge lose what that edge does not show. Shared nodes for which nothing is pending
// stay as they are, and so does what waits for a child that would get too long bounds (storable.h).
//
// At the beginning and the end of the tree, it is lowered if it is taller than its content explains, in as many steps
// as lower.h needs. If that may be too much for one edit, the caller takes these steps before. The call ends, between
// two children, once it has passed nodes of `budget` bytes, but at least one node. Cost: reads the leaves that it
// passes for which something is pending, the headers of the others, and the interior nodes above all of them.
absl::StatusOr<Flushed> FlushFrom(Edit& edit, NodeId root, const Bound& from, Bytes budget);

}  // namespace betr::dag
