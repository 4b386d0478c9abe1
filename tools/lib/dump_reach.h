// SPDX-License-Identifier: Apache-2.0
// What the trees show of a node, and how often: ranges, each with the number of ways that lead to it. This tells
// logical bytes, for which every copy counts, from stored ones. It also tells what of a shared node is alive.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "dag/node.h"

namespace betr::tools {

class ReachedRanges {
 public:
  // Adds `ways` ways to the range. Equal ranges count as one. If there are too many ranges, some are joined, and the
  // result becomes an upper bound.
  void Add(const Range& range, double ways);

  // Calls `visit(range, ways)` for each.
  template <class Visit>
  void ForEach(const Visit& visit) const {
    for (const Entry& entry : entries_) visit(entry.range, entry.ways);
  }
  // Returns the ranges in ascending order and without overlaps.
  std::vector<Range> Union() const;
  bool exact() const { return exact_; }

 private:
  struct Entry {
    Range range;
    double ways;
  };
  std::vector<Entry> entries_;
  bool exact_ = true;
};

// Calls `visit(link, ways)` for what each link of an interior node shows of its target, given what is shown of the
// node. Links are cut to what no goto supersedes.
void ForEachReached(const dag::Node& node, const ReachedRanges& reached,
                    const std::function<void(const dag::Link&, double)>& visit);

}  // namespace betr::tools
