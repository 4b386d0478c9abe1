// SPDX-License-Identifier: Apache-2.0
// What keeps nodes storable: a node's header has a largest size, and so have its blocks and bounds
// (layout/node_codec.h, node_check.h, stored_block.h). All of this is well below, as more may come together.
#pragma once

#include <cstdint>

#include "base/units.h"
#include "dag/node.h"

namespace betr::dag {

// Clones of clones below each other make keys of any length, but each node on the way to them knows only a part of
// them. Healing puts no bounds, translations and affixes together that are longer than this, and a clone does not take
// its source from so far down that its prefix is: the tree stays taller instead.
inline constexpr Bytes kMaxMergedBound = KiB(32);
// A run that gets longer is ended, and another one begun; and runs that have more together are not made one.
inline constexpr Bytes kMaxRunSize = MiB(32);

// The bounds, translations and affixes of a node, and how many edges, gotos and views there are that may have one more.
struct BoundSizes {
  Bytes longest{0};
  Bytes together{0};  // as they are stored
  uint64_t items = 0;
};

// Of what overlaps `part` of the node's space. Cost: O(edges, runs, gotos and basements).
BoundSizes BoundSizesOf(const Node& node, const Range& part);
inline BoundSizes BoundSizesOf(const Node& node) { return BoundSizesOf(node, node.bounds); }

// Nothing gets a bound, translation or affix that is longer than this, or more than this together, by making an edge
// simple (child.h), or by a pass over what nobody sees (prune.h).
inline constexpr Bytes kMaxBound = KiB(512);
inline constexpr Bytes kMaxBounds = MiB(48);

// A node with more edges, gotos and views than this, or bounds of more than half of kMaxBounds, moves on what it may,
// as if its blocks were too many: of what many edges show, a node holds the blocks once, but each view.
inline constexpr uint64_t kMostItems = 1 << 16;

// Clones from long prefixes to short ones, each of the one before, lead to keys as long as all the prefixes together,
// and making an edge simple hands its translation on to what is below, level by level. Whether the child's bounds would
// get too long by that: then it is not done, and what waits for the child stays where it is.
bool GetsTooLong(const Link& link, const Node& child);

}  // namespace betr::dag
