// SPDX-License-Identifier: Apache-2.0
// Names for contents: where clones lie on each other, two prefixes lead to the same nodes, and that can be told without
// looking at what the nodes hold. For whoever would do the same work for each clone: checkers, comparisons.
#pragma once

#include <absl/status/statusor.h>

#include <string_view>

#include "betr/stats.h"
#include "dag/table.h"

namespace betr::dag {

// The id of what lies under `prefix`, taken without the prefix: in one table, equal ids mean equal entries.
// Cost: an interior node a level, and runs of partitions that may hold messages for the prefix. Errors: the source's.
absl::StatusOr<ContentId> FindContentId(const NodeTable& table, NodeId root, std::string_view prefix);

}  // namespace betr::dag
