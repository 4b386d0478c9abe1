// SPDX-License-Identifier: Apache-2.0
// Ids of contents. Where clones overlap, two prefixes lead to the same nodes, and that can be told without looking at
// what the nodes hold. It spares checkers and comparisons the same work for each clone.
#pragma once

#include <absl/status/statusor.h>

#include <string_view>

#include "betr/stats.h"
#include "dag/table.h"

namespace betr::dag {

// Returns the id of what lies under `prefix`, taken without the prefix. In one table, equal ids mean equal entries.
// Cost: an interior node a level, and runs of partitions that may hold messages for the prefix. Errors: those of the
// source.
absl::StatusOr<ContentId> FindContentId(const NodeTable& table, NodeId root, std::string_view prefix);

}  // namespace betr::dag
