// SPDX-License-Identifier: Apache-2.0
#include "betr/bound.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "base/check.h"
#include "base/escape.h"

namespace betr {

std::string_view CommonPrefix(std::string_view a, std::string_view b) {
  constexpr size_t kWord = sizeof(uint64_t);
  const size_t limit = std::min(a.size(), b.size());
  size_t same = 0;
  // A word at a time: paths have long prefixes in common, and this is called all the time.
  while (same + kWord <= limit && std::memcmp(a.data() + same, b.data() + same, kWord) == 0) same += kWord;
  while (same < limit && a[same] == b[same]) ++same;
  return a.substr(0, same);
}

namespace {

// Compares two positions, each given as bytes and side. If the bytes are equal, At lies before Past. If the bytes of
// one are a proper prefix of the other's, the shorter lies before the longer exactly if it is an At.
std::strong_ordering ComparePositions(std::string_view a, bool a_past, std::string_view b, bool b_past) {
  const size_t common = std::min(a.size(), b.size());
  const int order = std::string_view(a.data(), common).compare(std::string_view(b.data(), common));
  if (order != 0) return order <=> 0;
  if (a.size() == b.size()) return a_past <=> b_past;
  if (a.size() < b.size()) return a_past ? std::strong_ordering::greater : std::strong_ordering::less;
  return b_past ? std::strong_ordering::less : std::strong_ordering::greater;
}

}  // namespace

std::strong_ordering operator<=>(const Bound& a, const Bound& b) {
  return ComparePositions(a.bytes, a.past, b.bytes, b.past);
}

bool Bound::Before(std::string_view key) const { return std::is_lteq(ComparePositions(bytes, past, key, false)); }

std::string ToString(const Bound& bound) {
  if (bound.bytes.empty()) return bound.past ? "+inf" : "-inf";
  return std::string(bound.past ? "past \"" : "at \"") + Escape(bound.bytes) + "\"";
}

std::string ToString(const Range& range) { return "[" + ToString(range.lo) + ", " + ToString(range.hi) + ")"; }

Bound Separator(std::string_view left, std::string_view right) {
  Check(left < right, "the left key is smaller than the right key");
  const size_t common = CommonPrefix(left, right).size();
  return Bound::At(right.substr(0, common + 1));
}

}  // namespace betr
