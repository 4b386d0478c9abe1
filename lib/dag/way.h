// SPDX-License-Identifier: Apache-2.0
// One step of the path from a node towards everything under a prefix.
#pragma once

#include <absl/status/statusor.h>

#include "dag/node.h"

namespace betr::dag {

struct WayStep {
  enum Kind {
    kStop,         // several edges hold the range
    kNothing,      // nothing lives there
    kDown,         // all of it lies under one edge
    kThroughGoto,  // all of it lies under one goto
    kPending,      // under one edge, but points, or gotos over a part of it, wait for it here
  };
  Kind kind = kStop;
  size_t edge = 0;                // the one that holds the range's begin
  const Goto* message = nullptr;  // of kThroughGoto

  // Of kDown and kThroughGoto: where it goes on. A view into the node.
  const Link& LinkIn(const Node& node) const { return message != nullptr ? message->link : node.edges[edge].link; }
};

// Requires: the node is interior, `range` lies inside its bounds. Reads the partition's runs that may hold the range.
absl::StatusOr<WayStep> FindWayStep(const Node& node, const Range& range);

// Whether any run from `first` on has an entry in `range`. Reads them.
absl::StatusOr<bool> HasPoints(const Partition& partition, size_t first, const Range& range);

}  // namespace betr::dag
