// SPDX-License-Identifier: Apache-2.0
// Range clone, rename and erase: O(height) whatever the size of the range (Zhan et al. 2021, "Copy-on-Abundant-Write
// for Nimble File System Clones"). A clone finds a node under which all of the source lies, takes a reference to it
// (FindPlace), and sends a goto to the destination (CloneOf, InsertGotos). A rename does the same, and between them
// erases the source (EraseOf): in the other order a rename of `a/b` to `a` would erase its own `a/b`. Roots are updated
// in place.
//
// Cost: at most two nodes read per level, if they are not in memory; the partitions on the way that may hold
// messages for the source. Errors: the source's; the edit must then be dropped.
#pragma once

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <string>
#include <string_view>
#include <vector>

#include "dag/edit.h"
#include "dag/partition.h"

namespace betr::dag {

// Where a whole prefix lies: a node, and what the prefix reads like there. No node: nothing lives under the prefix.
struct Place {
  NodeId node = kNoNode;
  Height height = 0;
  std::string prefix;
};

// Finds the lowest node that can be reached without breaking sharing and under which all of `prefix` lies, messages
// included, and where the prefix does not read too long (storable.h). Moves down what is pending for the prefix above
// it, and nothing else; also into copies of shared nodes, where it is worth them (child.h). Takes a reference to the
// node.
absl::StatusOr<Place> FindPlace(Edit& edit, NodeId& root, std::string_view prefix);

// Whether a whole child, or what a goto leads to, lies within `prefix`, so that a clone shares something that could not
// be shared in smaller parts. Costs: one interior node a level. Errors: the source's, and kDataLoss.
absl::StatusOr<bool> HoldsWholeNode(const NodeTable& table, NodeId root, std::string_view prefix);

// What makes `to` that which lies at a place, and counts as a clone; what makes all of a range gone.
Goto CloneOf(Edit& edit, const Place& place, std::string_view to);
Goto EraseOf(const Range& range);

// Puts them into a root, one after the other; the root is copied and stored once for all of them. Their
// references move in. Cheapest if they ascend.
absl::Status InsertGotos(Edit& edit, NodeId& root, std::vector<Goto> gotos);

}  // namespace betr::dag
