// SPDX-License-Identifier: Apache-2.0
// What keeps nodes storable. The header of a node has a largest size, and so have its blocks and bounds
// (layout/node_codec.h, node_check.h, stored_block.h). The limits here are well below those, since several things may
// add up.
#pragma once

#include <cstdint>

#include "base/units.h"
#include "dag/node.h"

namespace betr::dag {

// Clones of clones below each other make keys of any length, but each node on the way to them knows only a part of
// them. Healing does not merge nodes if a bound, translation or affix would get longer than this. A clone does not take
// its source from so far down that its prefix would be longer. The tree stays taller instead.
inline constexpr Bytes kMaxMergedBound = KiB(32);
// A run that gets longer is ended, and another one is begun. Runs that are longer together are not made one.
inline constexpr Bytes kMaxRunSize = MiB(32);

// The sizes of the bounds, translations and affixes of a node, and the number of edges, gotos and views, each of which
// may have one more.
struct BoundSizes {
  Bytes longest{0};
  Bytes together{0};  // as they are stored
  uint64_t items = 0;
};

// Of what overlaps `part` of the node's space. Cost: O(edges, runs, gotos and basements).
BoundSizes BoundSizesOf(const Node& node, const Range& part);
inline BoundSizes BoundSizesOf(const Node& node) { return BoundSizesOf(node, node.bounds); }

// Making an edge simple (child.h), and a pass over what nobody sees (prune.h), give nothing a bound, translation or
// affix that is longer than this, or more than this together.
inline constexpr Bytes kMaxBound = KiB(512);
inline constexpr Bytes kMaxBounds = MiB(48);

// A node with more edges, gotos and views than this, or with bounds of more than half of kMaxBounds, flushes what it
// may, as if it had too many blocks. A node holds the blocks that many edges show only once, but it holds each view.
inline constexpr uint64_t kMostItems = 1 << 16;

// Whether making the edge simple would make the child's bounds too long. If so it is not done, and what waits for the
// child stays where it is. This comes from clones of clones, each from a long prefix to a short one: they lead to keys
// as long as all the prefixes together, and making an edge simple passes its translation down, level by level.
bool GetsTooLong(const Link& link, const Node& child);

}  // namespace betr::dag
