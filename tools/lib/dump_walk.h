// SPDX-License-Identifier: Apache-2.0
// Walks the nodes that some roots reach, each once, parents before their children.
#pragma once

#include <absl/functional/function_ref.h>
#include <absl/status/statusor.h>

#include <set>

#include "dag/table.h"
#include "store/state.h"

namespace betr::tools {

struct WalkedNode {
  NodeId id;
  const dag::NodeRecord& record;
  absl::StatusOr<dag::NodePtr> node;  // or why it cannot be read
};

// Calls `visit` for each node. Ends on any image: a link is followed only if it leads to a lower height (fsck.betr
// reports others). Memory: the ids of the nodes of one height and below. Cost: one read per node.
void WalkDag(const store::State& state, const std::set<NodeId>& roots,
             absl::FunctionRef<void(const WalkedNode&)> visit);

// Returns the roots of all trees.
std::set<NodeId> AllRoots(const store::State& state);

}  // namespace betr::tools
