// SPDX-License-Identifier: Apache-2.0
// An upper bound, known beforehand, of the space that a node takes when it is written. The store promises that much
// (space_map.h).
#pragma once

#include <cstdint>

#include "dag/node.h"

namespace betr::layout {

// At least as many units as the extent has that EncodeNode makes of the node, even if nothing compresses. Cost: O(edges
// and views).
uint32_t StoredUnitsBound(const dag::Node& node);

}  // namespace betr::layout
