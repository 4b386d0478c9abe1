// SPDX-License-Identifier: Apache-2.0
// What keeps nodes storable: a node's header has a largest size, and so have its blocks and bounds
// (layout/node_codec.h, node_check.h, stored_block.h). All of this is far below, as more may come together.
#pragma once

#include "base/units.h"

namespace betr::dag {

// Clones of clones below each other make keys of any length, but each node on the way to them knows only a part of
// them. Healing puts no bounds, translations and affixes together that are longer than this, and a clone does not take
// its source from so far down that its prefix is: the tree stays taller instead.
inline constexpr Bytes kMaxJoinedBound = KiB(32);
// A run that gets longer is ended, and another one begun; and runs that have more together are not made one.
inline constexpr Bytes kMaxRunSize = MiB(32);

}  // namespace betr::dag
