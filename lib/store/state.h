// SPDX-License-Identifier: Apache-2.0
// The whole content of a store at one instant, as a value: copying a state is cheap, and nothing in a published
// state ever changes. Readers, snapshots and checkpoints hold the state that they began with and block nobody.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "base/compression.h"
#include "betr/write_batch.h"
#include "dag/table.h"

namespace betr::store {

struct Tree {
  TreeId id;
  std::string name;
  NodeId root;
  Codec codec;
  bool snapshot = false;  // read-only
};

struct State {
  dag::NodeTable table;
  std::map<TreeId, Tree> trees;
  Bytes tree_names{0};  // the names of all trees together, which the catalog has room for
  NodeId next_node{1};
  TreeId next_tree{1};
  uint64_t levels = 0;  // that clones of whole trees have put above roots since the store was opened
};

using StatePtr = std::shared_ptr<const State>;

}  // namespace betr::store
