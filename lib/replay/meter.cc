// SPDX-License-Identifier: Apache-2.0
#include "replay/meter.h"

#include <algorithm>
#include <thread>

namespace betr::replay {
namespace {

DeviceCounts CountsOf(Target* target) {
  return target == nullptr ? DeviceCounts{} : target->Counts().value_or(DeviceCounts{});
}

DeviceCounts Since(const DeviceCounts& later, const DeviceCounts& earlier) {
  DeviceCounts counts{.reads = later.reads - earlier.reads,
                      .writes = later.writes - earlier.writes,
                      .flushes = later.flushes - earlier.flushes,
                      .read_bytes = later.read_bytes - earlier.read_bytes,
                      .written_bytes = later.written_bytes - earlier.written_bytes};
  if (later.seeks.has_value()) counts.seeks = *later.seeks - earlier.seeks.value_or(0);
  if (later.modelled_seconds.has_value()) {
    counts.modelled_seconds = *later.modelled_seconds - earlier.modelled_seconds.value_or(0);
    counts.modelled_wait_seconds = later.modelled_wait_seconds - earlier.modelled_wait_seconds;
  }
  return counts;
}

}  // namespace

Meter::Meter(Target* target, Clock* clock)
    : target_(target), clock_(*clock), begun_(clock->Monotonic()), before_(CountsOf(target)) {
  const MutexLock lock(mutex_);
  Sample(std::chrono::nanoseconds{0});
}

std::optional<DeviceCounts> Meter::device() const {
  if (target_ == nullptr) return std::nullopt;
  const std::optional<DeviceCounts> now = target_->Counts();
  return now.has_value() ? std::optional(Since(*now, before_)) : std::nullopt;
}

ReplayReport Meter::report() const {
  const MutexLock lock(mutex_);
  return report_;
}

std::vector<TimeSample> Meter::series() const {
  const MutexLock lock(mutex_);
  return series_.samples();
}

bool Meter::WantsSamples() const {
  const MutexLock lock(mutex_);
  return report_.WantsSamples();
}

void Meter::AddSample(uint64_t line, std::string_view what, std::string_view path) {
  const MutexLock lock(mutex_);
  report_.AddSample(line, what, path);
}

void Meter::Sample(std::chrono::nanoseconds now) {
  const DeviceCounts device = this->device().value_or(DeviceCounts{});
  series_.Add({.time = now,
               .operations = operations_,
               .written = report_.written,
               .device_written = device.written_bytes,
               .modelled_seconds = device.modelled_seconds.value_or(0)});
}

void Meter::Finish() {
  const MutexLock lock(mutex_);
  Sample(elapsed());
}

void Meter::WaitForTurn(std::chrono::nanoseconds traced) {
  std::chrono::nanoseconds due{0};
  {
    const MutexLock lock(mutex_);
    if (!first_traced_.has_value()) {
      first_traced_ = traced;
      first_here_ = clock_.Monotonic();
    }
    constexpr double kLongest = 1e18;  // nanoseconds, 30 years: a trace may claim any times
    const auto since = static_cast<double>((traced - *first_traced_).count()) / speed_;
    due = first_here_ + std::chrono::nanoseconds(static_cast<int64_t>(std::clamp(since, -kLongest, kLongest)));
  }
  const std::chrono::nanoseconds rest = due - clock_.Monotonic();
  if (rest > std::chrono::nanoseconds{0}) std::this_thread::sleep_for(rest);
  const MutexLock lock(mutex_);
  report_.late = std::max(clock_.Monotonic() - due, std::chrono::nanoseconds{0});
}

std::string Meter::Perform(const Operation& operation) {
  const bool has_time = operation.time > std::chrono::nanoseconds{0};
  if (has_time) has_times_ = true;
  if (speed_ > 0 && has_time) WaitForTurn(operation.time);
  if (target_ == nullptr) {
    if (operation.kind == OperationKind::kForget) return "";
    const MutexLock lock(mutex_);
    report_.Add(operation, std::chrono::nanoseconds{0});
    return "";
  }
  const std::chrono::nanoseconds begun = clock_.Monotonic();
  const Outcome outcome = target_->Perform(operation);
  const std::chrono::nanoseconds took = clock_.Monotonic() - begun;
  if (!outcome.is_performed) return "";
  const MutexLock lock(mutex_);
  ++operations_;
  std::string what = report_.Add(operation, outcome, took);
  // Threads come here in another order than their operations ended.
  if (series_.IsDue(begun + took - begun_)) Sample(elapsed());
  return what;
}

}  // namespace betr::replay
