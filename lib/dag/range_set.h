// SPDX-License-Identifier: Apache-2.0
// A set of positions between keys, as ranges that neither overlap nor meet.
#pragma once

#include <map>
#include <optional>

#include "betr/bound.h"

namespace betr::dag {

class RangeSet {
 public:
  // O(log n), and what it joins. An empty range adds nothing.
  void Add(const Range& range);
  // Adds what lies between the first range and the last one.
  void FillGaps();

  // Whether anything of `range` is in the set. O(log n).
  bool Overlaps(const Range& range) const;
  // The smallest range that holds all of `part` that is in the set; none if nothing is. O(log n).
  std::optional<Range> Hull(const Range& part) const;

  size_t size() const { return ranges_.size(); }
  bool Empty() const { return ranges_.empty(); }
  friend bool operator==(const RangeSet&, const RangeSet&) = default;

  // What both sets have; what `range` has and this has not. O(n log n).
  RangeSet Intersect(const RangeSet& other) const;
  RangeSet GapsIn(const Range& range) const;

  // In ascending order.
  template <class Visit>
  void ForEach(Visit visit) const {
    for (const auto& [lo, hi] : ranges_) visit(Range{lo, hi});
  }

 private:
  using Ranges = std::map<Bound, Bound>;  // from, to

  // The first range that ends behind a bound.
  Ranges::const_iterator After(const Bound& bound) const;

  Ranges ranges_;
};

}  // namespace betr::dag
