// SPDX-License-Identifier: Apache-2.0
// Gotos that wait to be put into a root together. No two of them touch, so their order does not matter.
#pragma once

#include <map>
#include <utility>
#include <vector>

#include "dag/partition.h"

namespace betr::dag {

class DisjointGotos {
 public:
  bool Empty() const { return gotos_.empty(); }
  // Whether one concerns a part of `range`. O(log n).
  bool Touches(const Range& range) const;
  // Requires: none touches its range.
  void Add(Goto message);
  // All, in ascending order; none is left.
  std::vector<Goto> Take();

 private:
  std::map<Bound, Goto> gotos_;  // by the beginnings of their ranges
};

}  // namespace betr::dag
