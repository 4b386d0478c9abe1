// SPDX-License-Identifier: Apache-2.0
// Making an edge simple: the only way in which a structural change gets at a child. A shared child is copied; this is
// where sharing is broken. What the edge cannot show is dropped, and the translation is taken out of the keys.
#pragma once

#include <absl/status/statusor.h>

#include "dag/change/edit.h"
#include "dag/live.h"
#include "dag/node.h"

namespace betr::dag {

// A child that belongs to one edge of one parent, taken out to be changed. It holds the references that its edges
// and gotos name. It must be put back with PutChild (or handed on) before the edit is published.
struct OwnChild {
  NodeId id = kNoNode;  // kNoNode: not in the table yet
  Node node;
};

// Takes the child of edge `index` out of `parent`. Afterwards the edge's image is exactly the child's bounds and its
// translation is empty. A null edge gets an empty child. The edge's partition stays as it is. At most one read.
// Requires: `parent` is the caller's alone.
absl::StatusOr<OwnChild> TakeChild(Edit& edit, Node& parent, size_t index);

// Whether TakeChild would succeed. At most one read.
absl::Status CanTakeChild(const Edit& edit, const Node& parent, size_t index);

// Whether taking the child would make its bounds too long (storable.h). If so it is not taken, and what waits for it
// stays where it is. False if that is not known, because the child cannot be read, or is not in memory and must not be
// read. At most one read, and none for an edge without a translation.
bool TooLongToTake(const Edit& edit, const Edge& edge, Reach reach);

// Stores what was taken, or is new. The caller must make an edge or a tree name the returned id.
NodeId PutNode(Edit& edit, OwnChild own);
// The same for the child of edge `index`, which then names it.
void PutChild(Edit& edit, Node& parent, size_t index, OwnChild child);

// Whether TakeChild would copy a shared node.
bool ChildShared(const Edit& edit, const Edge& edge);

// Whether moving this much to a shared node is worth copying the node: it holds at most four times as much. By this
// rule, what is written between the clones of one source lies in nodes above each other, each of which holds several
// times as much as the one above it. So it is copied only a few times on its way down.
bool WorthCopying(Bytes held, Bytes moved);
// The same for the shared child of an edge. At most one read, and none of a leaf: a leaf that is not in memory counts
// as full.
bool WorthCopying(const Edit& edit, const Edge& edge, Bytes moved, Reach reach);

// Up to this much of messages may be copied wherever that saves a level.
inline Bytes LittleToCopy(const Shape& shape) { return shape.node_size / 16; }

// Takes out the node `id`, whose holder is a tree, to be changed; a copy if it is shared. The holder names the returned
// id from then on. The caller gives up its reference to `id` and gets that to the result.
absl::StatusOr<OwnChild> TakeRoot(Edit& edit, NodeId id);

}  // namespace betr::dag
