// SPDX-License-Identifier: Apache-2.0
// How much of the stored nodes some parts of trees use, and how much they use alone.
//
// What is used alone is what is shown inside of the parts and nowhere else. Whether something is shown elsewhere is
// known without looking there: a node that has more references than were met on the walk is named by somebody else, who
// may show all of it.
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

// Each tree is in `parts` once at most. A node that is used in part counts by what of its blocks is used.
// References by what is dead, or shows nothing, count as somebody's use until they are gone. Errors: a node or a block
// cannot be read.
// Cost: reads the interior nodes that the parts show, and the headers of leaves that they do not have for themselves as
// a whole, with the blocks that they cut. Memory: the ids of the nodes of one height and below.
absl::StatusOr<Footprint> FootprintOf(const NodeTable& table, const std::vector<TreePart>& parts, StoredSize stored);

}  // namespace betr::dag
