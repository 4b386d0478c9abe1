// SPDX-License-Identifier: Apache-2.0
// Shared nodes of which little is reachable. A node that was cloned and then left by its original lives on with all
// that it held, though the clones show a narrow part of it; no edge alone can tell, since the others may show the rest.
// Here one pass from the roots down finds what all of them together show of each interior node, and drops everything
// else: the children that only such a node still names are free then. It is work for when space is short; what a single
// edge can tell is cleaned all the time (job.h).
//
// Why it may be done while the trees change: what is shown of a node never grows. A new link to it, whether made by a
// clone, a flush, a split or a merge, is a part of one that was there, or leads to what one showed. So what a pinned
// table says stays an upper bound for a node as long as the node is the same object; one that has changed since is
// left to the next pass.
#pragma once

#include <absl/status/statusor.h>

#include <map>
#include <vector>

#include "dag/edit.h"
#include "dag/node.h"
#include "dag/range_set.h"
#include "dag/table.h"

namespace betr::dag {

// One pass. Keeps the table that it began with, and so the space that this table's nodes use, until it is destroyed.
// Memory: some bytes for each interior node.
class Prune {
 public:
  // `roots` of all trees and snapshots of the table.
  Prune(NodeTable table, const std::vector<NodeId>& roots);

  bool Done() const { return next_ == order_.size(); }

  // Goes on until it has changed a node, or has looked at some. Whether it has changed one. Errors: a node cannot be
  // read: then nothing is known of what it names, and the pass must end.
  absl::StatusOr<bool> Step(Edit& edit);

 private:
  void Reach(NodeId id, const Range& range);
  absl::StatusOr<bool> Look(Edit& edit, NodeId id);

  NodeTable table_;
  std::vector<NodeId> order_;  // interior nodes, the highest first
  size_t next_ = 0;
  std::map<NodeId, RangeSet> reached_;  // of those that come
};

}  // namespace betr::dag
