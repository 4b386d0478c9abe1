// SPDX-License-Identifier: Apache-2.0
// The time until which something is tried again, by several threads that do parts of it.
#pragma once

#include <chrono>
#include <mutex>

namespace betr::store {

// Thread-safe.
class Deadline {
 public:
  // Returns the deadline. The first call fixes it: `patience` after its `now`. It is the same for every thread.
  // Requires: the sum can be counted (option_times.h).
  std::chrono::nanoseconds Begin(std::chrono::nanoseconds now, std::chrono::nanoseconds patience) {
    std::call_once(begun_, [&] { until_ = now + patience; });
    return until_;
  }

 private:
  std::once_flag begun_;
  std::chrono::nanoseconds until_{0};
};

}  // namespace betr::store
