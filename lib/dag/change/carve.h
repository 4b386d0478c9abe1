// SPDX-License-Identifier: Apache-2.0
// Cutting the edges of an interior node while keeping the reference counts right. Nothing here does I/O: narrowing an
// edge is free, and what a narrowed edge no longer shows stays where it is, unseen.
#pragma once

#include "dag/change/edit.h"
#include "dag/node.h"

namespace betr::dag {

// The part of an edge, messages included, inside `part`. Holds references of its own; the original keeps its.
Edge CopyEdgePart(Edit& edit, const Edge& edge, const Range& part);

// Takes what an edge buffers for `part` of its range out of it.
Partition TakePart(Edit& edit, Edge& edge, const Range& part);

// Gives back what an edge references: its child and the targets of its gotos.
void ReleaseEdge(Edit& edit, const Edge& edge);

// Makes an edge null that buffers nothing. Gives back what it references.
void Clear(Edit& edit, Edge& edge);

// Makes room for `range` among the node's edges: what the edges show of it is dropped, edges that reach beyond are
// narrowed or cut in two, and one null edge over exactly `range` takes the place. Returns its index.
// Requires: the range is not empty and lies inside the node's bounds.
size_t CarveHole(Edit& edit, Node& node, const Range& range);

// Joins neighbouring null edges that buffer nothing: all, or those of [from, to) with each other and those beside them.
void CoalesceNullEdges(Node& node);
void CoalesceNullEdges(Node& node, size_t from, size_t to);

// Whether a buffered range erase reaches an end of the edge's range, or covers all of it.
bool ErasedAtAnEnd(const Edge& edge);
bool ErasedWhole(const Edge& edge);

// Takes the erased part away from the edge, without looking at the child: a null edge in its place keeps what is newer
// than the erase. Requires: the edge is erased at an end, or whole.
void NarrowErased(Edit& edit, Node& node, size_t index);

// Drops everything outside `range` from a node: the node's bounds become `range`.
// Requires: the node is the caller's alone; its bounds cover the range.
void Clip(Edit& edit, Node& node, const Range& range);

// Buffers a goto in a partition: cuts it out of the older gotos there. The reference of `message` moves in.
void BufferGoto(Edit& edit, Partition& partition, Goto message);

}  // namespace betr::dag
