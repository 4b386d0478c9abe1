// SPDX-License-Identifier: Apache-2.0
// Estimates what a range of a tree holds from a bounded number of nodes. At each level as many edges are followed as
// the budget allows; they are evenly spread and stand for those beside them. What several paths show in the same way,
// as clones do, is looked at once and counts for all of them.
#pragma once

#include <absl/functional/function_ref.h>
#include <absl/status/statusor.h>

#include <optional>

#include "betr/stats.h"
#include "dag/live.h"
#include "dag/table.h"

namespace betr::dag {

// How many nodes an estimate looks at: so many altogether, or if it reads nothing, but if the tree is tall so many of
// each level.
inline constexpr size_t kEstimateNodes = 64;
inline constexpr size_t kEstimateNodesInMemory = 256;
inline constexpr size_t kEstimateNodesOfLevel = 8;

// What an estimate tells of what holds more: callers may add to it, and multiply keys by some thousand.
inline constexpr uint64_t kMostEstimatedKeys = uint64_t{1} << 50;
inline constexpr Bytes kMostEstimatedBytes{uint64_t{1} << 62};

// Messages that have not reached their leaf count as entries of their own, and make the estimate inexact. No block is
// read; those in memory make the estimate better. Errors: those of the source. Cost: as many nodes as it looks at, each
// read only if not in memory.
absl::StatusOr<RangeEstimate> Estimate(const NodeTable& table, NodeId root, const Range& range);

// About how much a tree holds. Clones of what holds clones multiply it, so no integer would do.
struct TreeContent {
  double keys = 0;
  double bytes = 0;  // of keys and values
};

// Whether what was found up to here is all that one wants to know.
using EnoughContent = absl::FunctionRef<bool(const TreeContent& so_far)>;

// What an estimate finds in a whole tree until it is enough, without reading leaves: one that is not in memory is taken
// to hold `leaf`. Erases of keys are taken to erase an entry each. Nothing if an interior node that is to be looked at
// cannot be seen; with Reach::kDisk they are read.
std::optional<TreeContent> EstimateTree(const NodeTable& table, NodeId root, Reach reach, Bytes leaf,
                                        EnoughContent enough);

}  // namespace betr::dag
