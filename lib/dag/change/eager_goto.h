// SPDX-License-Identifier: Apache-2.0
// Ablation (docs/ablations.md): range rename by tree surgery (Zhan et al. 2018), before there were goto messages. What
// a clone or a rename sends to the root does not sink gradually, but is driven down before the operation returns. The
// goto becomes an edge. The erase of a rename cuts the nodes at both ends of the source's range, down to the leaves.
//
// Cost: reading and rewriting the nodes on the way to the target's height, and for an erase on two ways to leaves.
#pragma once

#include <absl/status/status.h>

#include "dag/change/edit.h"
#include "dag/node.h"

namespace betr::dag {

// Moves the gotos that the node, or nodes below that they come into, buffer over `range` down until none of them is
// pending, with all else that is buffered over the range. Copies shared nodes on the way.
// Requires: interior; the caller's alone. Errors: the source's; the edit must then be dropped.
absl::Status DriveDown(Edit& edit, Node& node, const Range& range);

}  // namespace betr::dag
