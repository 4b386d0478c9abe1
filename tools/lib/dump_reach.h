// SPDX-License-Identifier: Apache-2.0
// What of each node the trees show, and how often: ranges with the number of ways that lead to them. It is what tells
// logical bytes (every copy counts) from those that are stored, and what of a shared node is alive.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "dag/node.h"

namespace betr::tools {

class ReachedRanges {
 public:
  // Another `ways` lead to the range. Ranges that are equal count as one; when there are too many, they are joined,
  // and what is said becomes an upper bound.
  void Add(const Range& range, double ways);

  // Calls `visit(range, ways)` for each.
  template <class Visit>
  void ForEach(const Visit& visit) const {
    for (const Entry& entry : entries_) {
      visit(entry.range, entry.ways);
    }
  }
  // Without overlaps, ascending.
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

// Calls `visit(link, ways)` with what each link of an interior node shows of its target, given what is shown of the
// node: links cut to what no goto supersedes.
void ForEachReached(const dag::Node& node, const ReachedRanges& reached,
                    const std::function<void(const dag::Link&, double)>& visit);

}  // namespace betr::tools
