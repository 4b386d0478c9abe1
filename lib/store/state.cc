// SPDX-License-Identifier: Apache-2.0
#include "store/state.h"

#include "store/slots.h"

namespace betr::store {

uint64_t RootUnitsBound(const State& state, TreeId tree) {
  const Tree* found = state.trees.Find(tree);
  return found == nullptr ? 0 : UnitsBoundOf(state.table.Find(found->root));
}

}  // namespace betr::store
