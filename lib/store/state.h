// SPDX-License-Identifier: Apache-2.0
// The whole content of a store at one instant, as a value: copying a state is O(1), and nothing in a published
// state ever changes. Readers, snapshots and checkpoints hold the state that they began with and block nobody.
#pragma once

#include <memory>

#include "betr/units.h"
#include "dag/table.h"
#include "store/tree_table.h"

namespace betr::store {

struct State {
  dag::NodeTable table;
  TreeTable trees;
  NodeId next_node{1};
  TreeId next_tree{1};
  uint64_t levels = 0;  // that clones of whole trees have put above roots since the store was opened
};

using StatePtr = std::shared_ptr<const State>;

}  // namespace betr::store
