// SPDX-License-Identifier: Apache-2.0
// Samples of how far a replay was at which time, for a plot. There are never more than a fixed number. If there would
// be more, every other one is dropped, and from then on they are taken half as often. So they are evenly spread over a
// replay of any length. One thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <vector>

#include "betr/units.h"

namespace betr::replay {

// All counts are from the beginning of the replay on.
struct TimeSample {
  std::chrono::nanoseconds time{0};
  uint64_t operations = 0;
  Bytes written{0};             // by the programs of the trace
  Bytes device_written{0};      // 0 if the target does not know
  double modelled_seconds = 0;  // how long the disk was busy by its model; 0 without one
};

class TimeSeries {
 public:
  static constexpr size_t kMostSamples = 256;

  // Whether it is time for a sample.
  bool IsDue(std::chrono::nanoseconds now) const { return now >= next_; }
  // Adds a sample. Requires: it is not earlier than the one before.
  void Add(const TimeSample& sample);

  const std::vector<TimeSample>& samples() const { return samples_; }

 private:
  std::vector<TimeSample> samples_;
  std::chrono::nanoseconds interval_ = std::chrono::milliseconds(1);
  std::chrono::nanoseconds next_{0};
};

}  // namespace betr::replay
