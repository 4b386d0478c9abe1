// SPDX-License-Identifier: Apache-2.0
// The walk of a salvage, from the roots down to all that can be read. What cannot be read is cut out of the node that
// names it.
#pragma once

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

#include <map>
#include <span>
#include <string>
#include <vector>

#include "store/offline/salvage_nodes.h"

namespace betr::store {

// Something that was cut out of a node.
struct Cut {
  Range range;                // in the node's own space, without what gotos of the node supersede
  bool changes_only = false;  // a run of buffered changes
  size_t over = 0;            // the runs of its edge from this one on are newer
  std::string why;
  bool is_doubt = false;  // nothing was cut out, but it may be older than it should be
};

// One thread.
class SalvageWalk {
 public:
  // Both outlive this.
  SalvageWalk(Inspection& image, SalvageNodes& nodes);

  // Checks that the node can be the root of a tree. Errors: why not.
  absl::Status CheckRoot(NodeId id);
  // Names a node once more, and visits what is below it unless it was visited. Requires: it can be loaded.
  void Name(NodeId id);
  // Visits the nodes that are dead and not named, so that what they name is counted.
  void VisitDead();
  // Calls `found` with each node of the table that nothing named so far, is not dead and holds something. Nodes that
  // none of the others names come first. `found` is to name the node, so that what is below is not found too.
  void VisitUnnamed(const std::function<void(NodeId, const dag::Node&)>& found);
  // Takes nodes that nobody names out of the table, and sets all counts.
  void Settle();
  // Notes that what a node shows may be older than what it should show. Requires: the node is named.
  void Doubt(NodeId id, const std::string& why);

  // What was cut out, by node. / Who names a node, for those that were visited.
  const std::map<NodeId, std::vector<Cut>>& cuts() const { return cuts_; }
  const std::vector<NodeId>& NamedBy(NodeId id) const;
  uint64_t nodes_kept() const { return names_.size(); }
  const std::vector<std::string>& actions() const { return actions_; }
  // Nodes that were named and cannot be read.
  const absl::flat_hash_set<NodeId>& lost() const { return lost_; }
  // Whether one of them was above the leaves, and so named others.
  bool IsInteriorLost() const { return is_interior_lost_; }

 private:
  void Drain();
  void Visit(NodeId id);
  void VisitEdge(NodeId id, dag::Node& node, size_t index);
  void VisitRuns(NodeId id, dag::Partition& partition);
  void VisitBasements(NodeId id, dag::Node& node);
  // Whether the target of a link is what the link says it is.
  absl::Status CheckTarget(const dag::Link& link, dag::Height height);
  absl::Status CheckBlock(const dag::BlockView& view, bool is_leaf);
  void NameFrom(NodeId by, NodeId id);
  // Cuts out something that these gotos supersede where they are.
  void CutOutBelow(NodeId id, std::span<const dag::Goto> gotos, const Cut& cut);

  Inspection& image_;
  SalvageNodes& nodes_;
  absl::flat_hash_map<NodeId, uint32_t> names_;
  absl::flat_hash_map<NodeId, std::vector<NodeId>> named_by_;
  absl::flat_hash_set<NodeId> visited_;
  absl::flat_hash_set<NodeId> dead_;
  absl::flat_hash_set<NodeId> move_;  // to be written anew
  absl::flat_hash_set<NodeId> lost_;
  bool is_interior_lost_ = false;
  std::map<NodeId, std::vector<Cut>> cuts_;
  std::vector<NodeId> waiting_;
  std::vector<std::string> actions_;
};

}  // namespace betr::store
