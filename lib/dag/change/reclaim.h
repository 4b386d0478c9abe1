// SPDX-License-Identifier: Apache-2.0
// Taking dead nodes out of the table. A dead node stays in the table until it has given back its references. The dead
// records are the work list, so an interrupted reclaim goes on after a restart.
#pragma once

#include <absl/status/status.h>

#include "dag/change/edit.h"

namespace betr::dag {

// Removes one dead node; nodes that die with it are in edit.dead(). A leaf is not read; an interior node costs at
// most one read (without its blocks). Requires: the node is dead.
absl::Status Reclaim(Edit& edit, NodeId id);

}  // namespace betr::dag
