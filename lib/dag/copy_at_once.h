// SPDX-License-Identifier: Apache-2.0
// Ablation (docs/ablations.md): copy-on-write, what copy-on-abundant-write is compared with (Zhan et al. 2020). A
// message that comes to a shared node is not kept above it until there are enough of them: background work moves it on
// at once, which copies the node. The children of the copy are shared then, so it goes on to the leaf: the whole path
// is copied, be it for one message.
#pragma once

#include <optional>

#include "dag/edit.h"
#include "dag/node.h"

namespace betr::dag {

// The edge to a shared child for which most waits; nothing if nothing waits for a shared child.
std::optional<size_t> HeaviestOverShared(const Edit& edit, const Node& node);

}  // namespace betr::dag
