// SPDX-License-Identifier: Apache-2.0
// Moving messages down, one node at a time. Which node and which child is policy; it lives here too, so that the
// store only says "go on".
#pragma once

#include <absl/status/statusor.h>

#include "dag/edit.h"
#include "dag/node.h"

namespace betr::dag {

// Moves everything that `parent` buffers for edge `index` into the child, which may split.
// Requires: the parent is the caller's alone. At most one node read and what the partition and, for a leaf, the
// touched basements cost.
absl::Status FlushEdge(Edit& edit, Node& parent, size_t index);

// Puts messages, in root space and newer than all else, into the root's buffers. No I/O if the root is in memory.
// Returns the root's id from now on. The caller's reference to `root` becomes one to the result.
absl::StatusOr<NodeId> Insert(Edit& edit, NodeId root, const Partition& news);

struct WorkResult {
  NodeId root;        // from now on
  bool done = false;  // whether anything was done: false when nothing is over-full
};

// One step of background work on the tree: flushes the fullest edge of one over-full node, or does nothing. Starts
// at the root and goes down where the last flushes left over-full children. Never breaks sharing by itself except
// where enough messages have gathered (copy-on-abundant-write).
absl::StatusOr<WorkResult> Work(Edit& edit, NodeId root);

// Flushes everything down to the leaves, then heals: the most compact form. Cost proportional to the tree.
absl::StatusOr<NodeId> FlushAll(Edit& edit, NodeId root);

}  // namespace betr::dag
