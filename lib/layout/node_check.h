// SPDX-License-Identifier: Apache-2.0
// Checks the invariants of a node (dag/node.h, dag/partition.h, dag/link.h) that show in the node alone, without its
// blocks and its children. They are checked before a node is written and after it was read.
#pragma once

#include <absl/status/status.h>

#include <cstdint>

#include "dag/node.h"

namespace betr::layout {

// The longest bounds, translations and affixes. This is much more than a key, since translations of clones of clones
// add up.
inline constexpr Bytes kMaxBoundSize = MiB(1);
// The most edges, runs, gotos and basements together: several times what a full node of the largest size has.
inline constexpr uint64_t kMaxNodeItems = 1 << 20;

// Errors: kDataLoss naming edge, run, goto or basement, and what is wrong with it.
absl::Status CheckNode(const dag::Node& node);

}  // namespace betr::layout
