// SPDX-License-Identifier: Apache-2.0
// Prunes shared nodes of which little is reachable. A node that was cloned, and whose original then went on without it,
// keeps all that it held, though the clones show only a narrow part of it. No single edge can tell, since the others
// may show the rest. Here one pass from the roots down finds what all edges together show of each interior node, and
// drops everything else. Children that only such a node still named are then free. This is work for when space is
// short. What a single edge can tell is cleaned up all the time (job.h).
//
// It may be done while the trees change, because what is shown of a node never grows. A new link to it, whether made by
// a clone, a flush, a split or a merge, is a part of one that was there, or leads to what one showed. So what a pinned
// table says stays an upper bound for a node, as long as the node is the same object. A node that has changed since is
// left to the next pass.
#pragma once

#include <absl/status/statusor.h>

#include <map>
#include <vector>

#include "dag/change/edit.h"
#include "dag/node.h"
#include "dag/range_set.h"
#include "dag/table.h"

namespace betr::dag {

// One pass. Until it is destroyed it keeps the table that it began with, and so the space of that table's nodes.
// Memory: some bytes for each interior node.
class Prune {
 public:
  // `roots` of all trees and snapshots of the table.
  Prune(NodeTable table, const std::vector<NodeId>& roots);

  bool Done() const { return next_ == order_.size(); }

  // Goes on until it has changed a node, or has looked at some. Returns whether it has changed one. An error means that
  // a node cannot be read. Then nothing is known of what it names, and the pass must end.
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
