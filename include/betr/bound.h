// SPDX-License-Identifier: Apache-2.0
// Positions between keys, and ranges of keys. Keys are byte strings ordered by memcmp. A bound is a string and a side,
// never a key with a magic byte.
//
// Invariants
//   1. At(b) lies just before the key b; Past(b) lies after every key that has b as a prefix.
//      At("") is minus infinity, Past("") is plus infinity.
//   2. In a range that holds a key, lcp(lo.bytes, hi.bytes) is a prefix of every key of the range. Lifting strips
//      exactly this prefix.
#pragma once

#include <compare>
#include <string>
#include <string_view>

namespace betr {

// Returns the longest common prefix of two strings, as a view into the first.
std::string_view CommonPrefix(std::string_view a, std::string_view b);

struct Bound {
  std::string bytes;
  bool past = false;

  static Bound At(std::string_view bytes) { return {std::string(bytes), false}; }
  static Bound Past(std::string_view bytes) { return {std::string(bytes), true}; }

  friend bool operator==(const Bound&, const Bound&) = default;
  friend std::strong_ordering operator<=>(const Bound& a, const Bound& b);

  // Whether `key` lies after this position. O(|key|), no allocation.
  bool Before(std::string_view key) const;

  // Returns the position without its first `n` bytes, or with `prefix` in front. Strip requires that `bytes` has at
  // least `n` bytes.
  Bound Strip(size_t n) const { return {bytes.substr(n), past}; }
  Bound Prepend(std::string_view prefix) const { return {std::string(prefix) + bytes, past}; }
};

// [lo, hi). Empty if lo >= hi.
struct Range {
  Bound lo;
  Bound hi;

  static Range All() { return {Bound::At(""), Bound::Past("")}; }
  static Range Prefix(std::string_view prefix) { return {Bound::At(prefix), Bound::Past(prefix)}; }
  // The range of one key.
  static Range Only(std::string_view key) { return {Bound::At(key), Bound::At(std::string(key) + '\0')}; }

  friend bool operator==(const Range&, const Range&) = default;

  bool Empty() const { return lo >= hi; }
  bool Contains(std::string_view key) const { return lo.Before(key) && !hi.Before(key); }
  // Whether every position of `other` lies inside this range.
  bool Covers(const Range& other) const { return lo <= other.lo && other.hi <= hi; }
  bool Overlaps(const Range& other) const { return lo < other.hi && other.lo < hi; }
  Range Intersect(const Range& other) const { return {std::max(lo, other.lo), std::min(hi, other.hi)}; }
  // Returns the prefix that all keys of the range share, as a view into lo.bytes.
  std::string_view Lcp() const { return CommonPrefix(lo.bytes, hi.bytes); }

  Range Strip(size_t n) const { return {lo.Strip(n), hi.Strip(n)}; }
  Range Prepend(std::string_view prefix) const { return {lo.Prepend(prefix), hi.Prepend(prefix)}; }
};

// Formats for messages and dumps: "[at \"a\\x00\", past \"b\")".
std::string ToString(const Bound& bound);
std::string ToString(const Range& range);

// Returns the shortest bound b with left < b <= right in key order. Requires left < right.
Bound Separator(std::string_view left, std::string_view right);

}  // namespace betr
