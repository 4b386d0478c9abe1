// SPDX-License-Identifier: Apache-2.0
// The order in which a checkpoint writes nodes. It is that of their keys, so that a later scan of neighbours is
// sequential on disk.
#pragma once

#include <memory>
#include <vector>

#include "store/slots.h"
#include "store/state.h"

namespace betr::store {

// The dirty nodes of a state. First come those that a walk from the trees in key order meets without I/O, children
// before their parents, then the others. Cost: the nodes in memory plus the table pages that are not stored.
std::vector<std::shared_ptr<const NodeVersion>> DirtyInKeyOrder(const State& state);

}  // namespace betr::store
