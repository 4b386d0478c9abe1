// SPDX-License-Identifier: Apache-2.0
// What a node that buffers too much moves on.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "dag/edit.h"
#include "dag/heal.h"
#include "dag/node.h"

namespace betr::dag {

struct FlushChoice {
  size_t edge;
  size_t runs;  // the oldest ones, or kAllRuns (flush.h)
};

// Of what waits for some edges, that of which the node loses most: of blocks that other edges show too, only their
// share, unless these begin with them alike, and so follow. A child that others see has to be copied, so what waits for
// it counts for less; for nothing with Sharing::kKeep, or with kLittle if what the node loses is not worth the copy
// (child.h). None if nothing counts. Reads nothing. O(edges^2, runs).
std::optional<FlushChoice> ChooseFlush(const Edit& edit, const Node& node, const std::vector<size_t>& edges,
                                       Sharing sharing);

}  // namespace betr::dag
