// SPDX-License-Identifier: Apache-2.0
#include "store/offline/lost_keys.h"

#include <iterator>
#include <utility>

namespace betr::store {

LostKeys::Pieces::const_iterator LostKeys::After(const Bound& bound) const {
  const auto next = pieces_.upper_bound(bound);
  const bool reaches = next != pieces_.begin() && std::prev(next)->second.range.hi > bound;
  return reaches ? std::prev(next) : next;
}

void LostKeys::Set(LostRange piece) {
  if (piece.range.Empty()) return;
  Remove(piece.range);
  Bound lo = piece.range.lo;
  pieces_.emplace(std::move(lo), std::move(piece));
}

void LostKeys::Remove(const Range& range) {
  if (range.Empty()) return;
  for (auto at = After(range.lo); at != pieces_.end() && at->first < range.hi; at = After(range.lo)) {
    LostRange front = at->second;
    LostRange back = at->second;
    pieces_.erase(at);
    front.range.hi = std::min(front.range.hi, range.lo);
    back.range.lo = std::max(back.range.lo, range.hi);
    for (LostRange* left : {&front, &back}) {
      if (!left->range.Empty()) {
        Bound lo = left->range.lo;
        pieces_.emplace(std::move(lo), std::move(*left));
      }
    }
  }
}

void LostKeys::Written(std::string_view key, bool may_split) {
  const Range only = Range::Only(key);
  if (may_split) {
    Remove(only);
  } else if (const auto at = After(only.lo); at != pieces_.end() && at->first < only.hi) {
    pieces_.find(at->first)->second.but_written = true;
  }
}

std::vector<LostRange> LostKeys::In(const Range& range) const {
  std::vector<LostRange> inside;
  for (auto at = After(range.lo); at != pieces_.end() && at->first < range.hi; ++at) {
    inside.push_back(at->second);
    inside.back().range = at->second.range.Intersect(range);
  }
  return inside;
}

}  // namespace betr::store
