// SPDX-License-Identifier: Apache-2.0
// Sets of ranges, against the set of all positions that they hold.
#include "dag/range_set.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <iterator>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/random.h"
#include "support/seed.h"

namespace betr::test {
namespace {

constexpr size_t kPositions = 40;

Bound Position(size_t number) { return Bound::At(std::string(1, static_cast<char>('A' + number))); }

Range Drawn(Random& random) {
  const size_t lo = random.Uniform(kPositions);
  return {Position(lo), Position(lo + random.Uniform(6))};
}

// The positions n for which [n, n + 1) lies in the range.
std::set<size_t> Inside(const Range& range) {
  std::set<size_t> inside;
  for (size_t i = 0; i < kPositions + 6; ++i) {
    if (range.Covers({Position(i), Position(i + 1)})) inside.insert(i);
  }
  return inside;
}

std::set<size_t> Positions(const dag::RangeSet& set) {
  std::set<size_t> positions;
  set.ForEach([&](const Range& range) { positions.merge(Inside(range)); });
  return positions;
}

TEST_CASE("a set of ranges holds what was added, in ranges that do not meet", "[dag]") {
  Random random(TestSeed());
  for (int round = 0; round < 200; ++round) {
    dag::RangeSet set;
    std::set<size_t> oracle;
    for (int step = 0; step < 20; ++step) {
      const Range added = Drawn(random);
      set.Add(added);
      oracle.merge(Inside(added));
      std::set<size_t> found;
      size_t count = 0;
      Bound last = Bound::At("");
      set.ForEach([&](const Range& range) {
        CHECK((count++ == 0 || last < range.lo));
        CHECK_FALSE(range.Empty());
        last = range.hi;
        found.merge(Inside(range));
      });
      REQUIRE(found == oracle);
      REQUIRE(count == set.size());
      const Range asked = Drawn(random);
      std::vector<size_t> common;
      std::ranges::set_intersection(oracle, Inside(asked), std::back_inserter(common));
      REQUIRE(set.Overlaps(asked) == !common.empty());
      const std::optional<Range> hull = set.Hull(asked);
      REQUIRE(hull.has_value() == !common.empty());
      if (hull) CHECK(*hull == Range{Position(common.front()), Position(common.back() + 1)});
    }
    dag::RangeSet other;
    std::set<size_t> of_other;
    for (int i = 0; i < 5; ++i) {
      const Range added = Drawn(random);
      other.Add(added);
      of_other.merge(Inside(added));
    }
    std::vector<size_t> common;
    std::ranges::set_intersection(oracle, of_other, std::back_inserter(common));
    CHECK(Positions(set.Intersect(other)) == std::set<size_t>(common.begin(), common.end()));
    const Range within = Drawn(random);
    std::vector<size_t> missing;
    std::ranges::set_difference(Inside(within), oracle, std::back_inserter(missing));
    CHECK(Positions(set.GapsIn(within)) == std::set<size_t>(missing.begin(), missing.end()));
    set.FillGaps();
    REQUIRE(set.size() == (oracle.empty() ? 0 : 1));
    if (!oracle.empty()) {
      CHECK(set.Hull(Range::All()) == Range{Position(*oracle.begin()), Position(*oracle.rbegin() + 1)});
    }
  }
}

}  // namespace
}  // namespace betr::test
