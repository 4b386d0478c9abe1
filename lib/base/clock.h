// SPDX-License-Identifier: Apache-2.0
// The time, as a thing that tests can hold still. Nothing in betr asks the system for the time except through a Clock.
#pragma once

#include <atomic>
#include <chrono>
#include <string>

namespace betr {

class Clock {
 public:
  virtual ~Clock() = default;

  // Time of day, since 1970-01-01 00:00 UTC. May jump either way.
  virtual std::chrono::nanoseconds Now() = 0;

  // Time that only grows, since some moment in the past. For measuring and for intervals.
  virtual std::chrono::nanoseconds Monotonic() = 0;
};

// The clock of the machine. Lives for ever; any thread.
Clock& SystemClock();

// A clock that moves when told to. Any thread.
class ManualClock final : public Clock {
 public:
  explicit ManualClock(std::chrono::nanoseconds now = std::chrono::nanoseconds{0}) : now_(now.count()) {}

  std::chrono::nanoseconds Now() override { return std::chrono::nanoseconds{now_.load()}; }
  std::chrono::nanoseconds Monotonic() override { return std::chrono::nanoseconds{monotonic_.load()}; }

  // Moves both times on. Requires: step >= 0.
  void Advance(std::chrono::nanoseconds step);
  // Moves the time of day alone, either way, as an administrator does.
  void SetNow(std::chrono::nanoseconds now) { now_ = now.count(); }

 private:
  std::atomic<int64_t> now_;
  std::atomic<int64_t> monotonic_{0};
};

// "2026-10-01T10:00:00Z": whole seconds, UTC. `time`: as of Clock::Now.
std::string FormatTime(std::chrono::nanoseconds time);
// The same for times that nanoseconds do not reach: before 1677, after 2262.
std::string FormatTime(std::chrono::seconds time);

}  // namespace betr
