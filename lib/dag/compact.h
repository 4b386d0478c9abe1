// SPDX-License-Identifier: Apache-2.0
// Making the runs of a partition fewer.
#pragma once

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <cstddef>

#include "dag/edit.h"
#include "dag/node.h"

namespace betr::dag {

// The partition as one run, or none if nothing is left of its points, or several if it is very long. Gotos keep their
// references. Errors: a run cannot be read.
absl::StatusOr<Partition> Compact(Edit& edit, const Partition& partition, const Range& range);

// Makes runs of an edge one where there are more on top of each other than there should be (Shape::runs), or many more
// beside each other. Of runs whose blocks are shown elsewhere in the node too, as generations do that were cloned from
// each other, only the newest, up to one that is larger than these together; and wherever the same runs wait one after
// the other, the one takes their place. So blocks that are shared stay so, and what is written once is merged only a
// few times. What cannot be read stays as it is. Requires: the node is the caller's alone. Cost beside what is merged:
// O(n log n) for n runs of the edge, and if there are too many, also O(runs of the node).
absl::Status CompactIfMany(Edit& edit, Node& node, size_t index);

}  // namespace betr::dag
