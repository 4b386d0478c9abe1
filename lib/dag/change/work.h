// SPDX-License-Identifier: Apache-2.0
// Background work on a tree: chooses what to do next and does it, one small step at a time.
//
// A step changes one node and its children, or looks at a bounded number of nodes and finds nothing to do. The order
// is:
//   1. The path of the last flush, while it leads to over-full or over-large nodes, the lowest first. So what leaves
//      the root goes on until it has found room, and no node gets more while it is over-full. The same from an
//      over-full child of the root.
//   2. Along the same path, below the root, erases move on as in 5c: their node may leave memory before the sweep
//      reaches it.
//   3. An over-full root flushes its heaviest edge. A root with too many edges is healed or split.
//   4. When a round of the sweep begins, a root that is not needed is dropped (heal.h). If the tree is taller than its
//      content explains, its top is merged (lower.h), until that finds nothing, and then not again for some time.
//   5. A sweep over all interior nodes in memory, or over all of them (Sweep::reach), goes on round after round, as
//      long as a round finds anything. At each node it takes what it finds in this order:
//      a. An over-full node flushes its heaviest edge; if the node is shared, to a private child. A private child with
//         too many edges or bytes is split. If the edge shows only a part of a private child, the rest is dropped, so
//         that its space comes back.
//      b. An edge that no longer shows anything becomes null, without I/O. If finding that out takes reads, as with
//         kDisk, only those edges are examined of which something may have been taken: edges that are shared, have
//         gotos, or lie beside null edges.
//      c. What pins dead space in a private child moves down. Clones and range erases always move into children of
//         height 2 and more, which are few. They move into lower children if that frees a node or half of a leaf, or
//         if there is one for each leaf. Erases of all kinds move once they are as many as an ordinary flush moves, or
//         an eighth of the entries below the edge. If the child is shared, an erase at an end of what the edge shows
//         narrows the edge instead, and a leaf is copied only if no more than an eighth of it will be left. A range
//         erase over nothing is dropped.
//      d. Small neighbours are merged (heal.h), shared ones too while the tree is taller than explained.
//
// Sharing is broken by 1, 3 and 5a, where enough messages have gathered (copy-on-abundant-write), and by 4 and 5d as
// heal.h says. Nothing else is ever flushed into a shared node, except for leaves of which little will be left. Yet the
// node that is worked on may itself be shared. The sweep changes where things are, not what the node says in its own
// space, so no reader can tell, whatever edge it comes through. That is why the sweep needs no path from a root, and
// cleans what many share once for all of them.
#pragma once

#include <absl/status/statusor.h>

#include <optional>

#include "dag/change/edit.h"
#include "dag/change/job.h"
#include "dag/change/lower.h"
#include "dag/live.h"

namespace betr::dag {

// The position of background work in a tree. The caller keeps it between steps, in memory only; a fresh one is always
// valid. There is one for each tree, although nodes are swept whatever trees they belong to.
struct Sweep {
  std::optional<Bound> hot;           // in root space: where the last flush went
  NodeId next = kNoNode;              // nodes before it were looked at in this round. kNoNode: a round begins
  bool worked = false;                // something was done in this round
  Sharing lowering = Sharing::kKeep;  // what may be copied to lower the tree, as found when this round began
  Reach reach = Reach::kMemory;       // kDisk: interior nodes are read, and what tells whether an edge shows anything
  Effort effort = Effort::kAll;       // the others: a sweep only; if kFrugal or kErases, without 5a
  // The sweep looks at the root only, since the sweep of another tree passes all nodes. A tall tree sweeps for itself
  // nevertheless, since it may do more.
  bool root_only = false;
  // Decides whether the round looks at the height of the tree; null: always. Set it before each step. It is not used
  // between steps, so it may be gone by then.
  LowerAgain* lower = nullptr;
};

struct WorkResult {
  NodeId root;            // from now on
  bool done = false;      // false if a whole round of the sweep has found nothing to do
  bool changed = false;   // whether the edit changed anything; else there was only looking
  bool pressing = false;  // a node was over-full or too large, or the tree is too tall: go on soon
};

// Makes one step. Reads, if they are not in memory, the root, the child of a flush, and children for which range erases
// wait. If the tree is tall (ReachOf in heal.h), it also reads the interior nodes that 4 looks at.
//
// After an error the edit must be dropped. If something could not be read (IsUnreadable), the edge of the job was added
// to the context's LeftOut, and the next step does something else. If it was not added, there is nothing else to do for
// now.
absl::StatusOr<WorkResult> Work(Edit& edit, NodeId root, Sweep& sweep);

}  // namespace betr::dag
