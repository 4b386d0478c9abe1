// SPDX-License-Identifier: Apache-2.0
// Moving messages down, one node at a time. Which node and which edge is decided in work.h.
#pragma once

#include <absl/status/statusor.h>

#include <cstddef>
#include <cstdint>
#include <optional>

#include "dag/edit.h"
#include "dag/node.h"

namespace betr::dag {

// Moves what `parent` buffers for edge `index` into the child, which may split, and heals the edges around: everything,
// or only the oldest runs. Edges that begin with the same runs alike (alike.h) go on with the same child, which has
// them. Requires: the parent is the caller's alone; no goto is to be older than what is moved without it. At most one
// node read and what the partition and, for a leaf, the touched basements cost.
inline constexpr size_t kAllRuns = SIZE_MAX;  // and gotos
absl::Status FlushEdge(Edit& edit, Node& parent, size_t index, size_t runs = kAllRuns);

// Puts messages, in root space and newer than all else, into the root's buffers. No I/O if the root is in memory.
// Returns the root's id from now on. The caller's reference to `root` becomes one to the result.
absl::StatusOr<NodeId> Insert(Edit& edit, NodeId root, const Partition& news);

struct Flushed {
  NodeId root;                // from now on
  std::optional<Bound> next;  // where to go on, in root space; nothing if the end was reached
};

// Flushes everything behind `from` down to the leaves, then heals: the most compact form that keeps what is shared
// shared. Leaves of one edge lose what that does not show. Shared nodes for which nothing is pending stay as they are;
// so does what waits for a child that would get too long bounds (storable.h). At the begin and the end of the tree it
// is lowered if it is taller than its content explains, in as many steps as lower.h needs: if that may be too much for
// one edit, the caller takes them before. Ends, between two children, once it has come by nodes of `budget` bytes; at
// least by one. Cost: that of reading the leaves it comes by for which something is pending, the headers of the others,
// and the interior nodes above all.
absl::StatusOr<Flushed> FlushFrom(Edit& edit, NodeId root, const Bound& from, Bytes budget);

}  // namespace betr::dag
