// SPDX-License-Identifier: Apache-2.0
// Splitting nodes that have grown too large. No I/O, no rewriting: blocks are shared out, keys are relifted by
// changing affixes.
#pragma once

#include "dag/change/child.h"
#include "dag/change/edit.h"
#include "dag/node.h"

namespace betr::dag {

// Whether the node should be split: an interior node has too many live edges, a leaf too many bytes.
bool TooLarge(const Node& node, const Shape& shape);

// Puts the child of edge `index` back, as several children if it is too large; if it is empty, the edge becomes null.
// The edge's range is cut between them at the shortest separators in the middle half (preferential splitting: files
// and directories stay on one side). Returns in how many edges that results. Errors: kDataLoss if what a node too large
// holds is out of order; edit.status().
absl::StatusOr<size_t> PutSplitChild(Edit& edit, Node& parent, size_t index, OwnChild child);

// A node of the next height with one edge to the root: a level more. The reference to `root` moves. Reads the root.
// Errors: the source's; kResourceExhausted at kMaxHeight, which only clones without any background work can reach, or
// hundreds below each other that make keys of MiB.
absl::StatusOr<NodeId> GrowRoot(Edit& edit, NodeId root);

// Puts the root back; adds levels while it is too large, up to kMaxHeight. Errors: as PutSplitChild.
absl::StatusOr<NodeId> PutSplitRoot(Edit& edit, OwnChild root);

}  // namespace betr::dag
