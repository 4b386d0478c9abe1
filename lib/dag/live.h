// SPDX-License-Identifier: Apache-2.0
// What an edge shows of its child. The child may hold more: for the path through this edge the rest does not exist. How
// full a child is, or whether anything is left in it, must therefore be asked through the edge.
#pragma once

#include <absl/status/statusor.h>

#include <cstdint>
#include <optional>

#include "dag/node.h"
#include "dag/table.h"

namespace betr::dag {

// How far to go for an answer.
enum class Reach {
  kMemory,  // nothing is read
  kDisk,
};

struct Shown {
  bool known = false;  // false: the child is not in memory and must not be read
  uint64_t edges = 0;  // of an interior child: those that lead to something or buffer something
  Bytes bytes{0};      // of buffered messages, or of a leaf's entries; an upper bound
};

// Returns what a link shows of its target. At most one read, and none with kMemory.
absl::StatusOr<Shown> ShownBy(const NodeTable& table, const Link& link, Reach reach);

// Whether `range` of the node is known to hold nothing at all. Looks at a bounded number of nodes, as a rule at one
// path. With kDisk it reads them, and the basements that `range` cuts.
bool ShowsNothing(const NodeTable& table, NodeId node, const Range& range, Reach reach = Reach::kMemory);
// The same for everything that an edge shows, including its partition. If so, the edge may become null.
bool ShowsNothing(const NodeTable& table, const Edge& edge, Reach reach = Reach::kMemory);

// The bytes and entries that a view shows: exact if its block is in memory, otherwise those of the whole block.
Bytes VisibleSize(const BlockView& view);
size_t VisibleCount(const BlockView& view);
// Returns the size that a basement will have at most once it is packed (dag/change/pack.h). An upper bound if its block
// is not in memory.
Bytes PackedSize(const BlockView& basement);

// The bytes of messages or entries that a node has inside `range`, in its space. Reads the blocks that the range cuts.
absl::StatusOr<Bytes> BytesIn(const Node& node, const Range& range);
// The number of entries that a leaf has inside `range`, in its space. Exact if their blocks are in memory; a block that
// is not counts as a whole if any of it is inside. Reads nothing. Cost: O(basements), with two searches in each.
uint64_t EntriesIn(const Node& leaf, const Range& range);

// About how many entries an edge shows. If it leads to a leaf, it shows no more than that; otherwise this is the number
// of all entries below its child. None: nobody has counted them. Reads nothing.
std::optional<uint64_t> EntriesShown(const NodeTable& table, const Link& link);

}  // namespace betr::dag
