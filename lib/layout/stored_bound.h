// SPDX-License-Identifier: Apache-2.0
// How much space a node can need when it is written, known before: what the store promises to have (space_map.h).
#pragma once

#include <cstdint>

#include "dag/node.h"

namespace betr::layout {

// At least the units of the extent that EncodeNode makes of it, even if nothing compresses. Cost: O(edges and views).
uint32_t StoredUnitsBound(const dag::Node& node);

}  // namespace betr::layout
