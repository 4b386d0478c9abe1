// SPDX-License-Identifier: Apache-2.0
// Reducing the number of runs of a partition.
#pragma once

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <cstddef>

#include "dag/change/edit.h"
#include "dag/node.h"

namespace betr::dag {

// Returns the partition as one run; as none if nothing is left of its points, and as several if it is very long. Gotos
// keep their references. Errors: a run cannot be read.
absl::StatusOr<Partition> Compact(Edit& edit, const Partition& partition, const Range& range);

// Makes one run of several, where an edge has more of them on top of each other than it should (Shape::runs), or many
// more beside each other. If blocks of the runs are also shown elsewhere in the node, as by generations that were
// cloned from each other, it takes only the newest runs, up to one that is larger than these together. Wherever else
// the same runs wait one after the other, the new one takes their place. So shared blocks stay shared, and what is
// written once is merged only a few times. What cannot be read stays as it is. Requires: the node is the caller's
// alone. Cost, besides the merging: O(n log n) for n runs of the edge; if there are too many, also O(runs of the node).
absl::Status CompactIfMany(Edit& edit, Node& node, size_t index);

}  // namespace betr::dag
