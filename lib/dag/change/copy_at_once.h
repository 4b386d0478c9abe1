// SPDX-License-Identifier: Apache-2.0
// Ablation (docs/ablations.md): copy-on-write, with which copy-on-abundant-write is compared (Zhan et al. 2020). A
// message for a shared node is not kept above it until there are enough of them. Background work moves it on at once,
// which copies the node. The children of the copy are then shared, so this goes on to the leaf: the whole path is
// copied, even for one message.
#pragma once

#include <optional>

#include "dag/change/edit.h"
#include "dag/node.h"

namespace betr::dag {

// The edge to a shared child for which most waits; nothing if nothing waits for a shared child.
std::optional<size_t> HeaviestOverShared(const Edit& edit, const Node& node);

}  // namespace betr::dag
