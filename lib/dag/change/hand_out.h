// SPDX-License-Identifier: Apache-2.0
// Points that arrive in an interior node become runs of its edges.
#pragma once

#include <absl/status/status.h>

#include "dag/change/edit.h"
#include "dag/node.h"

namespace betr::dag {

// Gives each edge what the points of `news` say inside its range, as one new run, or several if that is very long;
// where several runs of `news` show the same block, as those of clones of each other do, as views of their blocks, so
// that the node holds these once. Without what the gotos of `news` hide, and without erases of what is not there.
// Requires: the node is the caller's alone, interior, and has all of `news` inside its bounds. Errors: a run cannot be
// read.
absl::Status HandOut(Edit& edit, Node& node, const Partition& news);

}  // namespace betr::dag
