// SPDX-License-Identifier: Apache-2.0
// Choosing what a node that buffers too much moves on.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "dag/change/edit.h"
#include "dag/change/heal.h"
#include "dag/node.h"

namespace betr::dag {

struct FlushChoice {
  size_t edge;
  size_t runs;  // the oldest ones, or kAllRuns (flush.h)
};

// Chooses, of what waits for some edges, that by which the node loses most. Blocks that other edges also show count
// only by their share, unless those edges begin with them alike and so follow. A shared child has to be copied, so what
// waits for it counts for less. It counts for nothing with Sharing::kKeep, and with kLittle if what the node loses is
// not worth the copy (child.h). Returns none if nothing counts. Reads nothing. Cost: O(edges^2, runs).
std::optional<FlushChoice> ChooseFlush(const Edit& edit, const Node& node, const std::vector<size_t>& edges,
                                       Sharing sharing);

}  // namespace betr::dag
