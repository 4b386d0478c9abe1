// SPDX-License-Identifier: Apache-2.0
// The links of a node, of edges and of gotos: where it leads, and what it shows of that.
#pragma once

#include <absl/functional/function_ref.h>

#include "dag/node.h"

namespace betr::dag {

// Calls `visit` with every link of an interior node that leads somewhere: each is a reference.
void ForEachLink(const Node& node, absl::FunctionRef<void(const Link&)> visit);

// Calls `visit` with what each link of an interior node, of edges and of gotos, shows of its target as far as `shown`
// shows the node: links cut to what no goto supersedes.
void ForEachShown(const Node& node, const Range& shown, absl::FunctionRef<void(const Link&)> visit);

}  // namespace betr::dag
