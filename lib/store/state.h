// SPDX-License-Identifier: Apache-2.0
// The whole content of a store at one instant, as a value. Copying a state is O(1), and nothing in a published state
// ever changes. Readers, snapshots and checkpoints hold the state that they began with, and block nobody.
#pragma once

#include <memory>

#include "betr/units.h"
#include "dag/table.h"
#include "store/tree_table.h"

namespace betr::store {

// Tells when a state has given back all that it held. That is later than when the last pointer to it goes: taking a
// table apart takes time, and somebody may wait for the space that it frees.
class Presence {
 public:
  Presence() = default;
  Presence(const Presence& /*other*/) {}  // each copy of a state has its own
  Presence& operator=(const Presence&) = delete;
  std::weak_ptr<const char> Watch() const { return token_; }

 private:
  std::shared_ptr<const char> token_ = std::make_shared<const char>();
};

struct State {
  Presence presence;  // the first, so that it goes last
  dag::NodeTable table;
  TreeTable trees;
  NodeId next_node{1};
  TreeId next_tree{1};
  uint64_t levels = 0;  // that clones of whole trees have put above roots since the store was opened
  uint64_t risen = 0;   // what NodeIo::BoundsRisen() was when all of its nodes had been made
};

using StatePtr = std::shared_ptr<const State>;

// Returns an upper bound of the units that a tree's root takes (NodeVersion::UnitsBound); 0 if there is no such tree.
uint64_t RootUnitsBound(const State& state, TreeId tree);
// Returns a tree's height; 0 if there is no such tree.
dag::Height HeightOf(const State& state, TreeId tree);
// Notes whether the root of a tree is large, if there still is such a tree. Call it for a state in which the root is
// another node or another version. A root that was not in memory since the store was opened may be larger than is
// known. `full`: Core::FullRoot(). Cost: O(log trees).
void MeasureRoot(State& state, TreeId tree, uint64_t full);
// Makes a node of the state's table the root of a tree, and measures it.
void SetRoot(State& state, TreeId tree, NodeId root, uint64_t full);

}  // namespace betr::store
