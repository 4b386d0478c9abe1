// SPDX-License-Identifier: Apache-2.0
#include "store/signals.h"

#include <algorithm>

#include "base/clock.h"

namespace betr::store {
namespace {

// How long a thread that has found no space for its work waits before it looks again by itself. Readers that keep space
// end without a signal.
constexpr std::chrono::nanoseconds kFirstRetry = std::chrono::milliseconds(20);
constexpr std::chrono::nanoseconds kLastRetry = std::chrono::seconds(60);
// How long to wait at most for what changes without a signal: memory gets written, time goes by.
constexpr std::chrono::nanoseconds kMoment = std::chrono::milliseconds(10);
constexpr std::chrono::nanoseconds kLongMoment = std::chrono::milliseconds(200);

}  // namespace

void Signals::Signal() {
  const MutexLock lock(mutex_);
  ++signals_;
  changed_.NotifyAll();
}

void Signals::Wake() {
  const MutexLock lock(mutex_);
  changed_.NotifyAll();
}

void Signals::Stop() {
  const MutexLock lock(mutex_);
  stopping_ = true;
  changed_.NotifyAll();
}

bool Signals::AwaitWork() {
  MutexLock lock(mutex_);
  const std::chrono::nanoseconds until = SystemClock().Monotonic() + retry_;
  while (!stopping_ && (is_alone_ || signals_ == seen_)) {
    const std::chrono::nanoseconds left = until - SystemClock().Monotonic();
    if (is_alone_ || !no_space_) {
      changed_.Wait(lock);
    } else if (left.count() > 0) {
      changed_.WaitFor(lock, left);
    } else {
      break;
    }
  }
  // If others have done something, there may be space at any time.
  retry_ = signals_ == seen_ ? std::min(2 * retry_, kLastRetry) : kFirstRetry;
  seen_ = signals_;
  no_space_ = false;
  return !stopping_;
}

void Signals::FoundNoSpace() {
  const MutexLock lock(mutex_);
  no_space_ = true;
  changed_.NotifyAll();
}

bool Signals::StepDone(const Predicate& is_ahead) {
  MutexLock lock(mutex_);
  changed_.NotifyAll();
  while (!stopping_ && (is_alone_ || is_ahead())) changed_.WaitFor(lock, kMoment);
  return !stopping_;
}

bool Signals::AwaitDue(const Predicate& is_due) {
  MutexLock lock(mutex_);
  if (!stopping_ && !is_due()) changed_.WaitFor(lock, kLongMoment);
  return !stopping_;
}

bool Signals::NobodyMakesRoom() const {
  const MutexLock lock(mutex_);
  return no_space_;
}

bool Signals::AwaitRoom() {
  MutexLock lock(mutex_);
  if (no_space_) return false;
  changed_.NotifyAll();
  changed_.WaitFor(lock, kMoment);
  return true;
}

Signals::Checkpointing::Checkpointing(Signals& signals) : signals_(signals) {
  const MutexLock lock(signals_.mutex_);
  number_ = ++signals_.checkpoints_begun_;
  signals_.checkpoints_.insert(number_);
}

Signals::Checkpointing::~Checkpointing() {
  const MutexLock lock(signals_.mutex_);
  signals_.checkpoints_.erase(number_);
  signals_.changed_.NotifyAll();
}

void Signals::AwaitCheckpoints() {
  MutexLock lock(mutex_);
  const uint64_t last = checkpoints_begun_;
  while (!checkpoints_.empty() && *checkpoints_.begin() <= last) changed_.Wait(lock);
}

Signals::Step::Step(Signals& signals) : signals_(signals) {
  MutexLock lock(signals_.mutex_);
  while (signals_.is_alone_ && !signals_.stopping_) signals_.changed_.Wait(lock);
  ++signals_.steps_;
}

Signals::Step::~Step() {
  const MutexLock lock(signals_.mutex_);
  --signals_.steps_;
  if (signals_.is_alone_) signals_.changed_.NotifyAll();
}

Signals::Alone::Alone(Signals& signals) : signals_(signals) {
  MutexLock lock(signals_.mutex_);
  signals_.is_alone_ = true;
  while (!signals_.checkpoints_.empty() || signals_.steps_ > 0) signals_.changed_.Wait(lock);
}

Signals::Alone::~Alone() {
  const MutexLock lock(signals_.mutex_);
  signals_.is_alone_ = false;
  signals_.changed_.NotifyAll();
}

}  // namespace betr::store
