// SPDX-License-Identifier: Apache-2.0
// Range clone, rename and erase: O(height) whatever the size of the range (Zhan et al. 2021, "Copy-on-Abundant-Write
// for Nimble File System Clones"). A clone finds a node under which all of the source lies, takes a reference to it
// (FindPlace), and sends a goto to the destination (CloneOf, InsertGotos). A rename does the same, and between the two
// erases the source (EraseOf). In the other order, a rename of `a/b` to `a` would erase its own `a/b`. Roots are
// updated in place.
//
// Cost: at most two node reads per level, of nodes that are not in memory, and the partitions on the way that may hold
// messages for the source. Errors: those of the source; the edit must then be dropped.
#pragma once

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <string>
#include <string_view>
#include <vector>

#include "dag/change/edit.h"
#include "dag/partition.h"

namespace betr::dag {

// Where a whole prefix lies: a node, and how the prefix reads there. No node: nothing lives under the prefix.
struct Place {
  NodeId node = kNoNode;
  Height height = 0;
  std::string prefix;
};

// Finds the lowest node under which all of `prefix` lies, messages included. The node must be reachable without
// breaking sharing, and the prefix must not read too long there (storable.h). What is pending for the prefix above the
// node is moved down, and nothing else; also into copies of shared nodes where that is worth the copy (child.h). Goes
// no further than to a node that can be read, other than a leaf. Takes a reference to the node.
absl::StatusOr<Place> FindPlace(Edit& edit, NodeId& root, std::string_view prefix);

// Whether a whole child, or what a goto leads to, lies within `prefix`. Then a clone shares something that could not be
// shared in smaller parts. Cost: one interior node a level. Errors: those of the source, and kDataLoss.
absl::StatusOr<bool> HoldsWholeNode(const NodeTable& table, NodeId root, std::string_view prefix);

// CloneOf makes the goto that turns `to` into what lies at a place; it counts as a clone. EraseOf makes the goto that
// erases a whole range.
Goto CloneOf(Edit& edit, const Place& place, std::string_view to);
Goto EraseOf(const Range& range);

// Puts gotos into a root, one after the other. The root is copied and stored once for all of them. Their references
// move into it. Cheapest if they ascend.
absl::Status InsertGotos(Edit& edit, NodeId& root, std::vector<Goto> gotos);

}  // namespace betr::dag
