// SPDX-License-Identifier: Apache-2.0
// What happens when messages arrive in a node. This is the only place where messages take effect on a node's content.
//
// Interior node of height h. Points go into the partitions of the edges that hold their keys. What a goto does depends
// on its target:
//   - None (erase_range): edges that it covers become null at once, without I/O. Where it covers a part of an edge, it
//     is buffered in that edge's partition.
//   - A node of height h-1: the goto becomes an edge at once.
//   - A lower node: the goto is buffered if one edge holds it. Otherwise the hole that it covers gets a null edge of
//     its own, to be filled by a small new child that carries the goto on.
// So no buffered message ever touches two edges, and a full node on disk never has to be read to take a message.
// A goto that lies in the midst of one that waits cuts it in two. Each part has the translation, which may be long. So
// before there are many copies of it, the older goto becomes an edge whose target is a chain of small new nodes.
//
// Leaf. Puts, erases and upserts are applied. Basements that no message touches are not even loaded.
#pragma once

#include <absl/status/status.h>

#include "dag/change/edit.h"
#include "dag/node.h"
#include "dag/partition.h"

namespace betr::dag {

// Applies `news` to a node. The references of its gotos move into the node. What an interior node buffers already need
// not be readable.
// Requires: `news` is in the node's space, inside its bounds, and newer than everything that the node holds; its gotos
// go to nodes lower than `node`; the node is the caller's alone. Errors: loading a block fails. The node is then
// unusable and the edit must be dropped.
absl::Status Arrive(Edit& edit, Node& node, const Partition& news);

// Applies one range message: the part of Arrive that an erase_range or a clone needs. No I/O. Requires: as Arrive; the
// node is interior.
void ArriveGoto(Edit& edit, Node& node, Goto message);

// Takes what `edge` buffers for `part` of its range out of it and into its child. Errors: as Arrive.
// Requires: `child` was taken from the edge (TakeChild).
absl::Status MoveDown(Edit& edit, Edge& edge, const Range& part, Node& child);

// Arrive at a leaf (leaf.cc).
absl::Status ArriveAtLeaf(Edit& edit, Node& leaf, const Partition& news);

}  // namespace betr::dag
