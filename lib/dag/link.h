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

  // The same link after the prefix `from` of the local space, which its range has, became `to`.
  Link Replace(std::string_view from, std::string_view to) const {
    return {range.Strip(from.size()).Prepend(to), target, translation};
  }
  Link Strip(std::string_view prefix) const { return Replace(prefix, ""); }
  Link Prepend(std::string_view prefix) const { return Replace("", prefix); }
};

}  // namespace betr::dag
