// SPDX-License-Identifier: Apache-2.0
// Counts how long things took, in classes of durations that are an eighth of a power of two wide. One thread.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>

namespace betr::replay {

class Latency {
 public:
  void Add(std::chrono::nanoseconds duration);

  uint64_t count() const { return count_; }
  std::chrono::nanoseconds total() const { return total_; }
  std::chrono::nanoseconds max() const { return max_; }
  // Returns the duration that `share` (0 to 1) of all stayed below. It is at most an eighth too much. 0 if there are
  // none.
  std::chrono::nanoseconds Percentile(double share) const;

 private:
  static constexpr size_t kParts = 8;  // of a power of two
  static constexpr size_t kClasses = 64 * kParts;

  std::array<uint64_t, kClasses> classes_{};
  uint64_t count_ = 0;
  std::chrono::nanoseconds total_{0};
  std::chrono::nanoseconds max_{0};
};

}  // namespace betr::replay
