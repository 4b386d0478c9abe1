// SPDX-License-Identifier: Apache-2.0
// A segment is a range of keys within which the path from the root to a leaf is the same: the same edges, the same
// gotos, one basement at the end. A cursor overlays the messages of each level on what lies below, one segment at a
// time.
#pragma once

#include <absl/status/statusor.h>

#include <memory>
#include <vector>

#include "dag/read/descent.h"

namespace betr::dag {

struct Segment {
  Range range;  // in root space; not empty
  // In root space, newest first. They may show keys outside `range`.
  std::vector<std::unique_ptr<PointReader>> readers;
};

// The segment that begins before or at `at` and goes on after it (forward), or ends at or after it (backward).
// Cost: the nodes of one path and the blocks of its partitions, each read only if not in memory.
absl::StatusOr<Segment> FindSegment(const Source& source, const Bound& at, Direction direction);

}  // namespace betr::dag
