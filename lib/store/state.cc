// SPDX-License-Identifier: Apache-2.0
#include "store/state.h"

#include "store/slots.h"

namespace betr::store {

uint64_t RootUnitsBound(const State& state, TreeId tree) {
  const Tree* found = state.trees.Find(tree);
  return found == nullptr ? 0 : UnitsBoundOf(state.table.Find(found->root));
}

dag::Height HeightOf(const State& state, TreeId tree) {
  const Tree* found = state.trees.Find(tree);
  const dag::NodeRecord* root = found == nullptr ? nullptr : state.table.Find(found->root);
  return root == nullptr ? 0 : root->height;
}

void MeasureRoot(State& state, TreeId tree, uint64_t full) {
  if (state.trees.Contains(tree)) {
    const uint64_t units = RootUnitsBound(state, tree);
    state.trees.SetLargeRoot(tree, units > full ? units : 0);
  }
}

void SetRoot(State& state, TreeId tree, NodeId root, uint64_t full) {
  state.trees.SetRoot(tree, root);
  MeasureRoot(state, tree, full);
}

}  // namespace betr::store
