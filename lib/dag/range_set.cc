// SPDX-License-Identifier: Apache-2.0
#include "dag/range_set.h"

#include <algorithm>
#include <iterator>

namespace betr::dag {

RangeSet::Ranges::const_iterator RangeSet::After(const Bound& bound) const {
  const auto next = ranges_.upper_bound(bound);
  const bool reaches = next != ranges_.begin() && std::prev(next)->second > bound;
  return reaches ? std::prev(next) : next;
}

void RangeSet::Add(const Range& range) {
  if (range.Empty()) return;
  Range joined = range;
  auto at = ranges_.lower_bound(range.lo);
  if (at != ranges_.begin() && std::prev(at)->second >= range.lo) --at;
  while (at != ranges_.end() && at->first <= joined.hi) {
    joined = {std::min(joined.lo, at->first), std::max(joined.hi, at->second)};
    at = ranges_.erase(at);
  }
  ranges_.emplace_hint(at, std::move(joined.lo), std::move(joined.hi));
}

void RangeSet::FillGaps() {
  if (!ranges_.empty()) Add({ranges_.begin()->first, ranges_.rbegin()->second});
}

bool RangeSet::Overlaps(const Range& range) const {
  const auto at = After(range.lo);
  return at != ranges_.end() && at->first < range.hi && !range.Empty();
}

std::optional<Range> RangeSet::Hull(const Range& part) const {
  if (!Overlaps(part)) return std::nullopt;
  const auto last = std::prev(ranges_.lower_bound(part.hi));
  return Range{std::max(After(part.lo)->first, part.lo), std::min(last->second, part.hi)};
}

RangeSet RangeSet::Intersect(const RangeSet& other) const {
  RangeSet both;
  for (const auto& [lo, hi] : ranges_) {
    for (auto at = other.After(lo); at != other.ranges_.end() && at->first < hi; ++at) {
      both.Add({std::max(lo, at->first), std::min(hi, at->second)});
    }
  }
  return both;
}

RangeSet RangeSet::GapsIn(const Range& range) const {
  RangeSet gaps;
  Bound from = range.lo;
  for (auto at = After(range.lo); at != ranges_.end() && at->first < range.hi; ++at) {
    gaps.Add({from, at->first});
    from = at->second;
  }
  gaps.Add({from, range.hi});
  return gaps;
}

}  // namespace betr::dag
