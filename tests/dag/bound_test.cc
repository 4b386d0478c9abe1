// SPDX-License-Identifier: Apache-2.0
// Bounds and ranges against their definition: a position is the sequence of its bytes, and Past ends it with a symbol
// that is larger than every byte. All short strings of an alphabet with both extreme bytes are tried.
#include "dag/bound.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

namespace betr::test {
namespace {

// All strings of up to three bytes.
std::vector<std::string> AllKeys() {
  std::vector<std::string> keys{""};
  for (size_t i = 0; keys[i].size() < 3; ++i) {
    for (const char c : {'\0', 'a', '\xff'}) keys.push_back(keys[i] + c);
  }
  return keys;
}

std::vector<Bound> AllBounds() {
  std::vector<Bound> bounds;
  for (const std::string& key : AllKeys()) {
    if (key.size() < 3) {
      bounds.push_back(Bound::At(key));
      bounds.push_back(Bound::Past(key));
    }
  }
  return bounds;
}

std::vector<int> Symbols(const Bound& bound) {
  std::vector<int> symbols;
  for (const char c : bound.bytes) symbols.push_back(static_cast<unsigned char>(c));
  if (bound.past) symbols.push_back(256);
  return symbols;
}

}  // namespace

TEST_CASE("bounds are ordered by position", "[dag][bound]") {
  for (const Bound& a : AllBounds()) {
    for (const Bound& b : AllBounds()) {
      REQUIRE((a <=> b) == (Symbols(a) <=> Symbols(b)));
      REQUIRE((a == b) == (Symbols(a) == Symbols(b)));
    }
    for (const std::string& key : AllKeys()) REQUIRE(a.Before(key) == (Symbols(a) <= Symbols(Bound::At(key))));
  }
}

TEST_CASE("the prefix of a range is what all its keys begin with, and a range of one has it", "[dag][bound]") {
  for (const Bound& lo : AllBounds()) {
    for (const Bound& hi : AllBounds()) {
      const Range range{lo, hi};
      REQUIRE(range.Empty() == !(lo < hi));
      for (const std::string& key : AllKeys()) {
        REQUIRE(range.Contains(key) == (lo.Before(key) && !hi.Before(key)));
        if (range.Contains(key)) REQUIRE(key.starts_with(range.Lcp()));
      }
    }
    const Range prefix = Range::Prefix(lo.bytes);
    REQUIRE(prefix.Lcp() == lo.bytes);
    for (const std::string& key : AllKeys()) REQUIRE(prefix.Contains(key) == key.starts_with(lo.bytes));
  }
}

TEST_CASE("covering, overlapping and intersecting agree with the positions between bounds", "[dag][bound]") {
  const std::vector<Bound> bounds = AllBounds();
  for (size_t i = 0; i < bounds.size(); i += 3) {
    for (size_t j = 1; j < bounds.size(); j += 4) {
      for (size_t k = 2; k < bounds.size(); k += 5) {
        for (size_t l = 0; l < bounds.size(); l += 2) {
          const Range a{bounds[i], bounds[j]};
          const Range b{bounds[k], bounds[l]};
          if (a.Empty() || b.Empty()) continue;
          REQUIRE(a.Overlaps(b) == !a.Intersect(b).Empty());
          REQUIRE(a.Covers(b) == (a.Intersect(b) == b));
        }
      }
    }
  }
  REQUIRE(Range::All().Covers(Range::Prefix("")));
  REQUIRE_FALSE(Range::Prefix("a").Overlaps({Bound::Past("a"), Bound::At("b")}));
}

TEST_CASE("a space that loses or gains a prefix keeps its order", "[dag][bound]") {
  for (const Bound& a : AllBounds()) {
    for (const Bound& b : AllBounds()) {
      REQUIRE((a.Prepend("xy") <=> b.Prepend("xy")) == (a <=> b));
      REQUIRE(a.Prepend("xy").Strip(2) == a);
    }
  }
}

TEST_CASE("a separator lies after the left key, at or before the right one, and is short", "[dag][bound]") {
  for (const std::string& left : AllKeys()) {
    for (const std::string& right : AllKeys()) {
      if (left < right) {
        const Bound separator = Separator(left, right);
        REQUIRE_FALSE(separator.Before(left));
        REQUIRE(separator.Before(right));
        REQUIRE(separator.bytes.size() <= CommonPrefix(left, right).size() + 1);
      }
    }
  }
}

TEST_CASE("bounds print in a way that shows every byte", "[dag][bound]") {
  REQUIRE(ToString(Range::All()) == "[-inf, +inf)");
  REQUIRE(ToString(Bound::Past(std::string("a\0", 2))) == "past \"a\\x00\"");
  REQUIRE(ToString(Bound::At("b")) == "at \"b\"");
}

}  // namespace betr::test
