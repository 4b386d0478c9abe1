// SPDX-License-Identifier: Apache-2.0
#include "replay/latency.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace betr::replay {

void Latency::Add(std::chrono::nanoseconds duration) {
  const auto value = static_cast<uint64_t>(std::max<int64_t>(duration.count(), 1));
  const auto power = static_cast<size_t>(std::bit_width(value)) - 1;
  const size_t part = power < 3 ? 0 : value >> (power - 3) & (kParts - 1);
  ++classes_[power * kParts + part];
  ++count_;
  total_ += duration;
  max_ = std::max(max_, duration);
}

std::chrono::nanoseconds Latency::Percentile(double share) const {
  const auto wanted = static_cast<uint64_t>(std::ceil(share * static_cast<double>(count_)));
  uint64_t seen = 0;
  for (size_t i = 0; i < kClasses; ++i) {
    seen += classes_[i];
    if (classes_[i] == 0 || seen < wanted) continue;
    const size_t power = i / kParts;
    const uint64_t end = power < 3 ? (uint64_t{2} << power) - 1 : ((kParts + i % kParts + 1) << (power - 3)) - 1;
    return std::min(std::chrono::nanoseconds(end), max_);
  }
  return max_;
}

}  // namespace betr::replay
