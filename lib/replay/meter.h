// SPDX-License-Identifier: Apache-2.0
// Performs single operations on a target and measures them, in the rhythm of the trace if wanted. Keeps what the report
// says, and how it came about over time. Thread-safe.
#pragma once

#include <atomic>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/mutex.h"
#include "replay/interpret/operation.h"
#include "replay/replay_report.h"
#include "replay/target.h"
#include "replay/time_series.h"

namespace betr::replay {

class Meter {
 public:
  // Both must outlive this. Time begins now. With a null target, everything comes out as in the trace.
  Meter(Target* target, Clock* clock);

  // Makes operations begin when they began in the trace, but `speed` times as fast. 0: as soon as they can.
  void SetSpeed(double speed) { speed_ = speed; }

  // Waits for the operation's time and performs it. Returns what is not as in the trace; empty if nothing.
  std::string Perform(const Operation& operation);
  // Whether AddSample would keep one more.
  bool WantsSamples() const;
  void AddSample(uint64_t line, std::string_view what, std::string_view path);

  // Says that the replay has ended and everything is durable. No operation may come after it.
  void Finish();

  std::chrono::nanoseconds elapsed() const { return clock_.Monotonic() - begun_; }
  ReplayReport report() const;
  std::vector<TimeSample> series() const;
  // Whether any operation said when it began in the trace.
  bool has_times() const { return has_times_; }
  // What the replay has done so far; nothing if the target does not know.
  std::optional<DeviceCounts> device() const;

 private:
  void WaitForTurn(std::chrono::nanoseconds traced);
  void Sample(std::chrono::nanoseconds now) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  Target* const target_;
  Clock& clock_;
  const std::chrono::nanoseconds begun_;
  const DeviceCounts before_;
  double speed_ = 0;
  std::atomic<bool> has_times_ = false;

  mutable Mutex mutex_;
  ReplayReport report_ ABSL_GUARDED_BY(mutex_);
  TimeSeries series_ ABSL_GUARDED_BY(mutex_);
  uint64_t operations_ ABSL_GUARDED_BY(mutex_) = 0;
  std::optional<std::chrono::nanoseconds> first_traced_ ABSL_GUARDED_BY(mutex_);  // of the first that has a time
  std::chrono::nanoseconds first_here_ ABSL_GUARDED_BY(mutex_){0};
};

}  // namespace betr::replay
