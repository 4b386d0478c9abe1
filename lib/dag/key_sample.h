// SPDX-License-Identifier: Apache-2.0
// A few numbers that say roughly where in a sorted array a key is. The keys of an array lie far apart in memory, so a
// binary search waits for memory at almost every step. The numbers lie together, so a search over them does not.
//
// Every kStride-th key is kept, as the eight bytes behind the prefix that all keys share, big-endian. Their order is
// that of the keys, but different keys may have one number.
#pragma once

#include <absl/functional/function_ref.h>

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/units.h"

namespace betr::dag {

// Immutable. Threads: any.
class KeySample {
 public:
  static constexpr size_t kStride = 16;

  // Of `count` keys that do not descend. The bytes of key 0 stay where they are as long as this is used.
  // Cost: O(count / kStride).
  KeySample(size_t count, absl::FunctionRef<std::string_view(size_t index)> key_at);

  // Keys before `begin` lie before a position, those from `end` on behind it.
  struct Window {
    size_t begin;
    size_t end;
  };
  // The window of the position At(bytes), or Past(bytes), as of a Bound: 2 * kStride keys or less, unless many have one
  // number. O(log count).
  Window Around(std::string_view bytes, bool past) const;

  Bytes MemoryBytes() const { return {numbers_.capacity() * sizeof(uint64_t)}; }

 private:
  size_t count_ = 0;
  std::string_view prefix_;        // of all keys
  std::vector<uint64_t> numbers_;  // none if there are not more than kStride keys: all are in the window
};

}  // namespace betr::dag
