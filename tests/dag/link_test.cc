// SPDX-License-Identifier: Apache-2.0
// Links and affixes: the maps between key spaces.
#include "dag/link.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "base/random.h"
#include "dag/affix.h"
#include "support/seed.h"

namespace betr::test {
namespace {

using dag::Affix;
using dag::Link;

std::string SomeBytes(Random& random, uint64_t longest) {
  std::string bytes;
  for (uint64_t n = random.Uniform(longest + 1); n > 0; --n) bytes.push_back("\0ab\xff"[random.Uniform(4)]);
  return bytes;
}

// A range that is not empty, often with a long common prefix.
Range SomeRange(Random& random) {
  for (;;) {
    const std::string common = SomeBytes(random, 3);
    const Bound a{common + SomeBytes(random, 2), random.OneIn(2)};
    const Bound b{common + SomeBytes(random, 2), random.OneIn(2)};
    if (a != b) return a < b ? Range{a, b} : Range{b, a};
  }
}

// A part of `range` that is not empty.
Range SomePart(Random& random, const Range& range) {
  for (;;) {
    const std::string common(range.Lcp());
    const Range part = range.Intersect(
        {{common + SomeBytes(random, 4), random.OneIn(2)}, {common + SomeBytes(random, 4), random.OneIn(2)}});
    if (!part.Empty()) return part;
  }
}

std::vector<std::string> KeysIn(Random& random, const Range& range) {
  std::vector<std::string> keys;
  for (int i = 0; i < 20; ++i) {
    std::string key = std::string(range.Lcp()) + SomeBytes(random, 4);
    if (range.Contains(key)) keys.push_back(std::move(key));
  }
  return keys;
}

}  // namespace

TEST_CASE("a narrowed link maps every key to where it went before", "[dag][link]") {
  Random random(TestSeed());
  for (int i = 0; i < 20'000; ++i) {
    const Link link{SomeRange(random), NodeId{7}, SomeBytes(random, 3)};
    const Link once = link.Cut(SomePart(random, link.range));
    const Link twice = once.Cut(SomePart(random, once.range));
    REQUIRE(twice == link.Cut(twice.range));
    REQUIRE(link.Image().Covers(once.Image()));
    for (const std::string& key : KeysIn(random, twice.range)) {
      REQUIRE(once.Map(key) == link.Map(key));
      REQUIRE(twice.Map(key) == link.Map(key));
      REQUIRE(twice.Image().Contains(twice.Map(key)));
    }
  }
}

TEST_CASE("a link keeps order and can be inverted", "[dag][link]") {
  Random random(TestSeed());
  for (int i = 0; i < 20'000; ++i) {
    const Link link{SomeRange(random), NodeId{7}, SomeBytes(random, 3)};
    const Range part = SomePart(random, link.range);
    REQUIRE(link.Map(part.lo) < link.Map(part.hi));
    REQUIRE(link.Unmap(link.Map(part.lo)) == part.lo);
    REQUIRE(link.Unmap(link.Map(part.hi)) == part.hi);
    for (const std::string& key : KeysIn(random, link.range)) {
      REQUIRE(part.Contains(key) == link.Map(part).Contains(link.Map(key)));
    }
  }
}

TEST_CASE("a link reads the same after the space that it is in lost or gained a prefix", "[dag][link]") {
  Random random(TestSeed());
  for (int i = 0; i < 10'000; ++i) {
    const Link link{SomeRange(random), NodeId{7}, SomeBytes(random, 3)};
    const std::string prefix = SomeBytes(random, 3);
    const Link longer = link.Prepend(prefix);
    REQUIRE(longer.Strip(prefix) == link);
    REQUIRE(longer.Image() == link.Image());
    for (const std::string& key : KeysIn(random, link.range)) REQUIRE(longer.Map(prefix + key) == link.Map(key));
  }
}

TEST_CASE("a cut null link stays null and carries nothing", "[dag][link]") {
  const Link cut = Link{Range::All(), kNoNode, {}}.Cut(Range::Prefix("abc"));
  REQUIRE(cut.Null());
  REQUIRE(cut.translation.empty());
}

TEST_CASE("affixes read and store the same positions", "[dag][affix]") {
  Random random(TestSeed());
  for (int i = 0; i < 20'000; ++i) {
    const Affix affix{SomeBytes(random, 2), SomeBytes(random, 2)};
    const std::string stored = affix.strip + SomeBytes(random, 3);
    std::string read;
    affix.Read(stored, read);
    REQUIRE(affix.Read(Bound::At(stored)) == Bound::At(read));
    REQUIRE(affix.Store(Bound::At(read)) == Bound::At(stored));
    // Any position at all: on the same side of the key here and there, unless it is outside what the affix can read.
    const Bound any{SomeBytes(random, 4), random.OneIn(2)};
    REQUIRE(any.Before(read) == affix.Store(any).Before(stored));
  }
}

TEST_CASE("affixes compose", "[dag][affix]") {
  Random random(TestSeed());
  for (int i = 0; i < 20'000; ++i) {
    const Affix affix{SomeBytes(random, 2), SomeBytes(random, 2)};
    const bool shorter = random.OneIn(2);
    const std::string rest = SomeBytes(random, 2);
    const std::string from =
        shorter ? affix.prepend.substr(0, random.Uniform(affix.prepend.size() + 1)) : affix.prepend + rest;
    const std::string to = SomeBytes(random, 2);
    const Affix both = affix.Then(from, to);
    // A stored key that reads as from + tail.
    const std::string tail = SomeBytes(random, 3);
    const std::string stored = shorter ? affix.strip + tail : affix.strip + rest + tail;
    std::string read;
    affix.Read(stored, read);
    std::string replaced;
    both.Read(stored, replaced);
    REQUIRE(replaced == to + read.substr(from.size()));
    REQUIRE(affix.Then("", "xy").Then("xy", "") == affix);
  }
}

}  // namespace betr::test
