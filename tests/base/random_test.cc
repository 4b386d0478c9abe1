// SPDX-License-Identifier: Apache-2.0
// Random numbers: the published sequence, the promised ranges, rough fairness.
#include "base/random.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <numeric>
#include <vector>

#include "support/seed.h"

namespace betr {
namespace {

TEST_CASE("the sequence is the published splitmix64", "[base]") {
  Random random(1234567);
  CHECK(random.Next() == 6457827717110365317u);
  CHECK(random.Next() == 3203168211198807973u);
  CHECK(random.Next() == 9817491932198370423u);
}

TEST_CASE("numbers stay in their range and reach its ends", "[base]") {
  Random random(TestSeed() + 12);
  std::vector<int> seen(5);
  for (int i = 0; i < 5000; ++i) {
    ++seen[random.Uniform(5)];
    const uint64_t between = random.Between(3, 4);
    REQUIRE((between == 3 || between == 4));
    REQUIRE(random.Skewed(10) < 1024);
    const double fraction = random.Fraction();
    REQUIRE((fraction >= 0 && fraction < 1));
  }
  for (const int count : seen) CHECK((count > 800 && count < 1200));
  CHECK(random.Between(7, 7) == 7);
  random.Between(0, UINT64_MAX);
  CHECK(random.OneIn(1));
  CHECK(random.Skewed(0) == 0);
}

TEST_CASE("shuffling keeps the items, a fork repeats", "[base]") {
  Random random(TestSeed() + 13);
  std::vector<int> items(20);
  std::iota(items.begin(), items.end(), 0);
  std::vector<int> shuffled = items;
  random.Shuffle(std::span(shuffled));
  CHECK(shuffled != items);
  CHECK(std::ranges::is_permutation(shuffled, items));
  CHECK(std::ranges::count(items, random.Pick(items)) == 1);
  Random a = Random(1).Fork();
  Random b = Random(1).Fork();
  CHECK(a.Next() == b.Next());
  CHECK(random.String(11).size() == 11);
}

}  // namespace
}  // namespace betr
