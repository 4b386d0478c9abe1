// SPDX-License-Identifier: Apache-2.0
// A link maps a range of one node's local key space into the local space of another node: it is what an edge and a
// goto have in common. With p = lcp(range), a key p + x reads as translation + x at the target.
//
// Invariants
//   1. The range is not empty.
//   2. A link without a target is null: nothing lives in its range. Its translation is empty.
//   3. Narrowing a link is free: what the longer p strips, the translation carries (Cut).
#pragma once

#include <string>
#include <string_view>

#include "base/units.h"
#include "dag/bound.h"

namespace betr::dag {

struct Link {
  Range range;
  NodeId target = kNoNode;
  std::string translation;

  friend bool operator==(const Link&, const Link&) = default;

  bool Null() const { return target == kNoNode; }

  // Requires: `key` or `bound` lies in the range.
  std::string Map(std::string_view key) const;
  Bound Map(const Bound& bound) const;
  Range Map(const Range& inside) const { return {Map(inside.lo), Map(inside.hi)}; }
  // The range of the target's space that this link shows.
  Range Image() const { return Map(range); }

  // The inverse of Map. Requires: `bound` lies in the image.
  Bound Unmap(const Bound& bound) const;

  // The same link over a smaller range. Requires: `part` is not empty and lies in the range.
  Link Cut(const Range& part) const;

  // The same link as seen when the local space loses its first n bytes, or gains `prefix` in front.
  Link Strip(size_t n) const { return {range.Strip(n), target, translation}; }
  Link Prepend(std::string_view prefix) const { return {range.Prepend(prefix), target, translation}; }
};

}  // namespace betr::dag
