// SPDX-License-Identifier: Apache-2.0
// Healing: joining neighbours that are small as seen through their edges, and dropping roots with a single edge.
// It takes back what carving, erasing and wide clones leave behind, and keeps the height logarithmic in the live
// content. The papers leave this out; without it every clone whose LCA is the root adds a level for ever.
#pragma once

#include <absl/status/statusor.h>

#include "dag/child.h"
#include "dag/edit.h"
#include "dag/node.h"

namespace betr::dag {

enum class HealMode {
  kPrivate,  // join only children that are nobody else's and in memory
  kUnshare,  // copy shared children, and read what is needed
};

// Joins neighbouring children of `node` while they are small. Requires: the node is the caller's alone; interior.
absl::Status Heal(Edit& edit, Node& node, HealMode mode);

// Puts a root back, not taller than it has to be: heals it if it has too many edges or would grow a level, splits it
// if that did not help, and drops levels with a single edge.
absl::StatusOr<NodeId> PutHealedRoot(Edit& edit, OwnChild root);

}  // namespace betr::dag
