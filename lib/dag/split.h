// SPDX-License-Identifier: Apache-2.0
// Splitting nodes that have grown too large. No I/O, no rewriting: blocks are shared out, keys are relifted by
// changing affixes.
#pragma once

#include "dag/child.h"
#include "dag/edit.h"
#include "dag/node.h"

namespace betr::dag {

// Whether the node should be split: an interior node has too many edges, a leaf too many bytes.
bool TooLarge(const Node& node, const Shape& shape);

// Puts the child of edge `index` back, as several children if it is too large. The edge's range is cut between them
// at the shortest separators in the middle half (preferential splitting: files and directories stay on one side).
void PutSplitChild(Edit& edit, Node& parent, size_t index, OwnChild child);

// A node of the next height with one edge to the root: a level more. `root` has one reference, which moves.
NodeId GrowRoot(Edit& edit, NodeId root);

// Puts the root back; adds levels while it is too large.
NodeId PutSplitRoot(Edit& edit, OwnChild root);

}  // namespace betr::dag
