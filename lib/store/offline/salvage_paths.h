// SPDX-License-Identifier: Apache-2.0
// Leads from what was cut out of nodes to the keys of trees that this concerns. Leaves out those keys that a change
// which waits above has put or erased.
#pragma once

#include <absl/container/flat_hash_set.h>

#include <string>
#include <vector>

#include "dag/node.h"
#include "store/offline/lost_keys.h"
#include "store/offline/salvage.h"
#include "store/offline/salvage_walk.h"

namespace betr::store {

// Used by one thread. Shared nodes are reached in many ways. Each way counts, up to a limit. Time and memory: as many
// loads of nodes as the limit says, and a few for each tree.
class SalvagePaths {
 public:
  // All outlive this. Adds to `lost`.
  SalvagePaths(SalvageNodes& nodes, const SalvageWalk& walk, const SalvageLimits& limits, std::vector<LostRange>* lost);

  // Whether something is lost below a root.
  bool Concern(NodeId root) const { return tainted_.contains(root); }
  // Adds what is lost of a tree. `trees` is the number of trees that are still to come, this one included. The tree
  // gets that part of what is left of the limits.
  void AddTree(const std::string& name, NodeId root, size_t trees);

 private:
  bool IsSpent() const { return ways_ >= ways_end_ || ranges_ >= ranges_end_; }
  void Enter(NodeId id, const Range& shown);
  // Follows a link of that partition, below its runs from `over` on.
  void Follow(const dag::Link& link, const dag::Partition& partition, size_t over, const Range& shown);
  void Add(const dag::Node& node, const Cut& cut, const Range& shown);
  // Adds that something in it is lost that is not listed. Ranges come in ascending order, except those of cuts.
  void AddFurther(const Range& shown);
  // Takes out of the pieces what runs from `over` on have put or erased.
  void RemoveWritten(const dag::Partition& partition, size_t over, LostKeys* keys) const;
  // The keys of the tree to which a range of the current node leads.
  Range InTree(Range range) const;

  struct Step {
    dag::Link link;
    const dag::Partition* partition;  // of a node that Enter holds
    size_t over;
  };

  SalvageNodes& nodes_;
  const SalvageWalk& walk_;
  const SalvageLimits limits_;
  std::vector<LostRange>& lost_;
  absl::flat_hash_set<NodeId> tainted_;  // nodes with cuts, and all above them
  std::string tree_;
  std::vector<Step> way_;       // from the root to the node that is looked at
  std::vector<Range> further_;  // of the tree
  uint64_t ways_ = 0;
  uint64_t ways_end_ = 0;  // for this tree
  size_t ranges_ = 0;
  size_t ranges_end_ = 0;
};

}  // namespace betr::store
