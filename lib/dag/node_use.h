// SPDX-License-Identifier: Apache-2.0
// How much of what a node stores some ranges of it use.
#pragma once

#include <absl/status/statusor.h>

#include "base/units.h"
#include "dag/node.h"
#include "dag/range_set.h"

namespace betr::dag {

struct NodeUse {
  Bytes all{0};     // the blocks that the node's views show, each once
  Bytes inside{0};  // of them, what the ranges asked for show
  Bytes common{0};  // of that, what is outside too: shown by a range of both, or by two views of one block
};

// The ranges are in the node's space. A block belongs to what is shown of it, to each entry as much. Errors: a block
// cannot be read. Reads the blocks of which something is inside and something is not, or may be outside as well.
absl::StatusOr<NodeUse> UseOf(const Node& node, const RangeSet& inside, const RangeSet& outside);

}  // namespace betr::dag
