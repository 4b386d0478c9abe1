// SPDX-License-Identifier: Apache-2.0
// What an edge shows of its child. A child may hold more than that: for the path through this edge the rest is not
// there. Whoever asks how full a child is, or whether anything is left in it, has to ask through the edge.
#pragma once

#include <absl/status/statusor.h>

#include <cstdint>
#include <optional>

#include "dag/node.h"
#include "dag/table.h"

namespace betr::dag {

// How far a question may go for its answer.
enum class Reach {
  kMemory,  // nothing is read
  kDisk,
};

struct Shown {
  bool known = false;  // false: the child is not in memory and must not be read
  uint64_t edges = 0;  // of an interior child: those that lead to something or buffer something
  Bytes bytes{0};      // of buffered messages, or of a leaf's entries; an upper bound
};

// At most one read, and none with kMemory.
absl::StatusOr<Shown> ShownBy(const NodeTable& table, const Link& link, Reach reach);

// Whether it is known that `range` of the node holds nothing at all. Looks at a bounded number of nodes, as a rule at
// one path, and with kDisk reads them and the basements that `range` cuts.
bool ShowsNothing(const NodeTable& table, NodeId node, const Range& range, Reach reach = Reach::kMemory);
// The same of everything that an edge shows, its partition included: then the edge may become null.
bool ShowsNothing(const NodeTable& table, const Edge& edge, Reach reach = Reach::kMemory);

// The bytes and entries that a view shows: exact if its block is in memory, else those of the whole block.
Bytes VisibleSize(const BlockView& view);
size_t VisibleCount(const BlockView& view);

// The bytes of messages or entries that a node has inside `range`, in its space. Reads the blocks that the range cuts.
absl::StatusOr<Bytes> BytesIn(const Node& node, const Range& range);
// The entries that a leaf has inside `range`, in its space: exact if their blocks are in memory, else a block of which
// anything is inside counts as a whole. Reads nothing. O(basements), with two searches in each.
uint64_t EntriesIn(const Node& leaf, const Range& range);

// About how many entries an edge shows: no more, if it leads to a leaf; else all that are below its child. None: nobody
// has counted them. Reads nothing.
std::optional<uint64_t> EntriesShown(const NodeTable& table, const Link& link);

}  // namespace betr::dag
