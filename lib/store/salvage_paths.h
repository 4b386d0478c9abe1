// SPDX-License-Identifier: Apache-2.0
// From what was cut out of nodes to the keys of trees that this concerns.
#pragma once

#include <absl/container/flat_hash_set.h>

#include <string>
#include <vector>

#include "dag/link.h"
#include "store/salvage.h"
#include "store/salvage_walk.h"

namespace betr::store {

// One thread. Shared nodes are reached on many ways: each way counts, up to a limit.
class SalvagePaths {
 public:
  // All outlive this. Adds to `result`.
  SalvagePaths(SalvageNodes& nodes, const SalvageWalk& walk, Salvaged* result);

  // Adds what is lost of a tree.
  void AddTree(const std::string& name, NodeId root);

 private:
  void Enter(NodeId id, const Range& shown);
  void Follow(const dag::Link& link, const Range& shown);
  void Add(const Cut& cut, const Range& shown);

  SalvageNodes& nodes_;
  const SalvageWalk& walk_;
  Salvaged& result_;
  absl::flat_hash_set<NodeId> tainted_;  // nodes with cuts, and all above them
  std::string tree_;
  std::vector<dag::Link> way_;  // from the root to the node that is looked at
  uint64_t steps_ = 0;
};

}  // namespace betr::store
