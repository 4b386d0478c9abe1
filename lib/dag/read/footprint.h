// SPDX-License-Identifier: Apache-2.0
// How much of the stored nodes some parts of trees use, and how much only they use.
//
// Only they use what is shown inside the parts and nowhere else. Whether something is shown elsewhere is known without
// looking there: a node with more references than the walk has met is named from elsewhere, and all of it may be shown
// there.
#pragma once

#include <absl/functional/function_ref.h>
#include <absl/status/statusor.h>

#include <vector>

#include "betr/stats.h"
#include "dag/range_set.h"
#include "dag/table.h"

namespace betr::dag {

// Of one tree.
struct TreePart {
  NodeId root;
  RangeSet ranges;
};

// What a node takes on disk.
using StoredSize = absl::FunctionRef<Bytes(const NodeRecord&)>;

// Returns what `parts` use. Each tree may be in `parts` once at most. A node that is used in part counts with the part
// of its blocks that is used. References from what is dead, or shows nothing, count as use until they are gone. Errors:
// a node or a block cannot be read. Cost: reads the interior nodes that the parts show, and the headers of leaves that
// they do not have wholly for themselves, with the blocks that they cut. Memory: the ids of the nodes of one height and
// below.
absl::StatusOr<Footprint> FootprintOf(const NodeTable& table, const std::vector<TreePart>& parts, StoredSize stored);

}  // namespace betr::dag
