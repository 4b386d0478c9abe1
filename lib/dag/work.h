// SPDX-License-Identifier: Apache-2.0
// Background work on a tree: what to do next, and doing it, one small step at a time.
//
// A step changes one node and its children, or looks at a bounded number of nodes and finds nothing. In this order:
//   1. The way that the last flush took, while it leads to over-full or over-large nodes, the lowest first: so that
//      what leaves the root goes on until it has found room, and no node gets more while it is over-full. The same from
//      an over-full child of the root.
//   2. Along the same way erases move on as in 5c, below the root: their node may have left memory before the sweep
//   comes
//      by.
//   3. An over-full root flushes its heaviest edge; one with too many edges is healed or split.
//   4. As a round of the sweep begins: a root that is not needed is dropped (heal.h); of a tree that is taller than its
//      content explains, the top is merged (lower.h), until that finds nothing, and not again for some time then.
//   5. A sweep over all interior nodes that are in memory, or over all (Sweep::reach), round after round, as long as a
//      round finds anything. It takes what it finds at a node in this order:
//      a. over-full: flush the heaviest edge (if the node is shared: to a private child); a private child with too many
//         edges or bytes: split; a private child of which the edge shows only a part: drop the rest, so that its space
//         comes back;
//      b. an edge that shows nothing any more becomes null, for no I/O; if that has to be read, as with kDisk, it is
//         asked only of edges of which something may have been taken: shared ones, with gotos, or beside null ones;
//      c. what pins dead space in a private child moves down: clones and range erases always into children of height 2
//         and more, which are few, and into lower ones if that frees a node or half of a leaf, or if they are one for
//         each leaf; erases of all kinds once they are as many as an ordinary flush moves, or an eighth of the entries
//         below the edge. If the child is shared, an erase at an end of what the edge shows narrows the edge instead,
//         and a leaf is copied only if no more than an eighth of it will be left. A range erase over nothing is
//         dropped;
//      d. neighbours that are small are merged (heal.h); shared ones too while the tree is taller than explained.
//
// Sharing is broken by 1, 3 and 5a, where enough messages have gathered (copy-on-abundant-write), and by 4 and 5d as
// heal.h says. Nothing else is ever flushed into a shared node, but for leaves of which little will be left. Yet a
// shared node may well be the one that is worked on: the sweep changes where things are, not what the node says in its
// own space, so nobody who reads it through whatever edge can tell. That is why the sweep needs no way down from a
// root, and cleans what many share once for all of them.
#pragma once

#include <absl/status/statusor.h>

#include <optional>

#include "dag/edit.h"
#include "dag/job.h"
#include "dag/live.h"
#include "dag/lower.h"

namespace betr::dag {

// Where background work is. Kept by the caller between steps, in memory only; a new one is always right. One for each
// tree, though nodes are swept whatever trees they belong to.
struct Sweep {
  std::optional<Bound> hot;           // in root space: where the last flush went
  NodeId next = kNoNode;              // nodes before it were looked at in this round; kNoNode: a round begins
  bool worked = false;                // something was done in this round
  Sharing lowering = Sharing::kKeep;  // what may be copied to lower the tree, as found when this round began
  Reach reach = Reach::kMemory;       // kDisk: interior nodes are read, and what tells whether an edge shows anything
  Effort effort = Effort::kAll;       // the others: a sweep only; if kFrugal or kErases, without 5a
  // The sweep looks at the root alone: that of another tree comes by all nodes. A tall tree has its own nevertheless,
  // since it may do more.
  bool root_only = false;
  // Of the tree: whether the round looks at its height; none: always. Set before each step, and not looked at between
  // them: it may be gone by then.
  LowerAgain* lower = nullptr;
};

struct WorkResult {
  NodeId root;            // from now on
  bool done = false;      // false if a whole round of the sweep has found nothing to do
  bool changed = false;   // whether the edit changed anything; else there was only looking
  bool pressing = false;  // a node was over-full or too large, or the tree is too tall: go on soon
};

// One step. Reads, if they are not in memory: the root, the child of a flush, children for which range erases wait; and
// if the tree is tall (ReachOf in heal.h), the interior nodes that 4 looks at.
// Errors: the edit must be dropped. If something could not be read (IsUnreadable), the context's LeftOut has got the
// edge of the job: the next step does something else. If it has not, there is nothing else to do for now.
absl::StatusOr<WorkResult> Work(Edit& edit, NodeId root, Sweep& sweep);

}  // namespace betr::dag
