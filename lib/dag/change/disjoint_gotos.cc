// SPDX-License-Identifier: Apache-2.0
#include "dag/change/disjoint_gotos.h"

#include <iterator>

#include "base/check.h"

namespace betr::dag {

bool DisjointGotos::Touches(const Range& range) const {
  const auto behind = gotos_.lower_bound(range.hi);
  return behind != gotos_.begin() && range.lo < std::prev(behind)->second.link.range.hi;
}

void DisjointGotos::Add(Goto message) {
  Check(!Touches(message.link.range), "gotos that wait do not overlap");
  Bound lo = message.link.range.lo;
  gotos_.emplace(std::move(lo), std::move(message));
}

std::vector<Goto> DisjointGotos::Take() {
  std::vector<Goto> taken;
  taken.reserve(gotos_.size());
  for (auto& [lo, message] : std::exchange(gotos_, {})) taken.push_back(std::move(message));
  return taken;
}

}  // namespace betr::dag
