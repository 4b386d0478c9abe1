// SPDX-License-Identifier: Apache-2.0
#include "dump_reach.h"

#include <algorithm>
#include <functional>

#include "dag/node_links.h"

namespace betr::tools {
namespace {

// The most ranges of one node. More would make a walk over an image of many clones quadratic.
constexpr size_t kMaxRanges = 256;

}  // namespace

void ReachedRanges::Add(const Range& range, double ways) {
  for (Entry& entry : entries_) {
    if (entry.range == range) {
      entry.ways += ways;
      return;
    }
  }
  if (entries_.size() < kMaxRanges) {
    entries_.push_back({range, ways});
    return;
  }
  exact_ = false;
  Entry& last = entries_.back();
  last.range = {std::min(last.range.lo, range.lo), std::max(last.range.hi, range.hi)};
  last.ways += ways;
}

std::vector<Range> ReachedRanges::Union() const {
  std::vector<Range> ranges;
  ranges.reserve(entries_.size());
  for (const Entry& entry : entries_) ranges.push_back(entry.range);
  std::sort(ranges.begin(), ranges.end(), [](const Range& a, const Range& b) { return a.lo < b.lo; });
  std::vector<Range> joined;
  for (Range& range : ranges) {
    if (!joined.empty() && range.lo <= joined.back().hi) {
      joined.back().hi = std::max(joined.back().hi, range.hi);
    } else {
      joined.push_back(std::move(range));
    }
  }
  return joined;
}

void ForEachReached(const dag::Node& node, const ReachedRanges& reached,
                    const std::function<void(const dag::Link&, double)>& visit) {
  reached.ForEach([&](const Range& shown, double ways) {
    dag::ForEachShown(node, shown, [&](const dag::Link& link) { visit(link, ways); });
  });
}

}  // namespace betr::tools
