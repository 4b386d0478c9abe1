// SPDX-License-Identifier: Apache-2.0
// Making an edge simple: the only way in which a structural change gets at a child. A shared child is copied (this
// is where sharing is broken), what the edge cannot show is dropped, and the translation is taken out of the keys.
#pragma once

#include <absl/status/statusor.h>

#include "dag/edit.h"
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
// translation is empty; a null edge gets an empty child. At most one read.
// Requires: `parent` is the caller's alone. The edge's partition stays as it is.
absl::StatusOr<OwnChild> TakeChild(Edit& edit, Node& parent, size_t index);

// Whether TakeChild would succeed. At most one read.
absl::Status CanTakeChild(const Edit& edit, const Node& parent, size_t index);

// Whether the child's bounds would get too long by being taken (storable.h): then that is not done, and what waits for
// the child stays where it is. False where the child cannot be read, or is not in memory and must not be: nobody knows.
// At most one read, none of an edge without a translation.
bool TooLongToTake(const Edit& edit, const Edge& edge, Reach reach);

// Stores the child and makes the edge name it.
void PutChild(Edit& edit, Node& parent, size_t index, OwnChild child);

// Whether TakeChild would copy a shared node.
bool ChildShared(const Edit& edit, const Edge& edge);

// Whether moving so much to a shared node is worth the copy that it makes: the node holds at most four times as much.
// Where that is the rule, what is written between the clones of one source lies in nodes above each other each of which
// holds several times what the one above it does, and is copied only a few times on its way down.
bool WorthCopying(Bytes held, Bytes moved);
// The same of the shared child of an edge. At most one read, and none of a leaf: one that is not in memory may hold as
// much as a leaf can.
bool WorthCopying(const Edit& edit, const Edge& edge, Bytes moved, Reach reach);

// So little of messages may be copied wherever that saves a level.
inline Bytes LittleToCopy(const Shape& shape) { return shape.node_size / 16; }

// The node `id` to be changed, whose holder (a tree) keeps naming the returned id: a copy if it is shared.
// The caller gives up its reference to `id` and gets the one of the result.
absl::StatusOr<OwnChild> TakeRoot(Edit& edit, NodeId id);
NodeId PutRoot(Edit& edit, OwnChild root);

}  // namespace betr::dag
