// SPDX-License-Identifier: Apache-2.0
// What happens when messages arrive in a node: the one place where messages take effect on a node's content.
//
// Interior node of height h. Points go into the partitions of the edges that hold their keys. A goto
//   - to nothing (erase_range): edges that it covers become null at once, for no I/O; over part of an edge it is
//     buffered in that edge's partition;
//   - to a node of height h-1: becomes an edge at once;
//   - to a lower node: is buffered if one edge holds it; else the hole that it covers gets a null edge of its own,
//     which will be filled by a small new child that carries the goto on.
// So no buffered message ever touches two edges, and a full node on disk never has to be read to take a message.
//
// Leaf. Puts, erases and upserts are applied; basements that no message touches are not even loaded.
#pragma once

#include <absl/status/status.h>

#include "dag/edit.h"
#include "dag/node.h"
#include "dag/partition.h"

namespace betr::dag {

// Requires: `news` is in the node's space, inside its bounds, newer than all that the node holds; its gotos go to
// nodes lower than `node`; the node is the caller's alone. The references of its gotos move into the node.
// Errors: loading a block fails; the node is then unusable and the edit must be dropped. What an interior node buffers
// already need not be readable.
absl::Status Arrive(Edit& edit, Node& node, const Partition& news);

// One range message: all of Arrive that an erase_range or a clone needs. No I/O.
// Requires: as Arrive; an interior node.
void ArriveGoto(Edit& edit, Node& node, Goto message);

// Arrive at a leaf (leaf.cc).
absl::Status ArriveAtLeaf(Edit& edit, Node& leaf, const Partition& news);

}  // namespace betr::dag
