// SPDX-License-Identifier: Apache-2.0
#include "watch.h"

#include <poll.h>

#include <algorithm>

namespace betr::fuse {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kTick{1};
constexpr unsigned kQuietTicks = 100;  // then the deputy sleeps until it is called
// A thread that did not run for this long shares its processor. Sleeping leaves that to others, and the kernel prefers
// threads that wake.
constexpr std::chrono::microseconds kPreempted{20};
constexpr unsigned kMaxSkip = 64;

}  // namespace

Watch::Watch(int descriptor, std::chrono::microseconds look) : descriptor_(descriptor), look_(look) {}

bool Watch::TryTake() {
  const MutexLock lock(mutex_);
  if (closed_ || (taken_ && look_ > look_.zero())) return false;
  taken_ = true;
  summoned_ = false;
  return true;
}

bool Watch::Take() {
  if (TryTake()) return true;
  const MutexLock deputy(deputy_mutex_);
  MutexLock lock(mutex_);
  bool neglected = false;
  while (!closed_ && (taken_ || !(summoned_ || neglected))) neglected = WaitAsDeputy(lock);
  if (closed_) return false;
  taken_ = true;
  summoned_ = false;
  return true;
}

bool Watch::WaitAsDeputy(MutexLock& lock) {
  const uint64_t given = given_;
  const bool was_free = !taken_;
  dozing_ = taken_ && quiet_ >= kQuietTicks;
  if (dozing_) {
    called_.Wait(lock);
  } else {
    called_.WaitFor(lock, kTick);
  }
  dozing_ = false;
  quiet_ = given_ == given ? quiet_ + 1 : 0;
  return was_free && !taken_ && given_ == given;
}

void Watch::Give(bool summon) {
  const MutexLock lock(mutex_);
  taken_ = false;
  summoned_ = summon;
  ++given_;
  quiet_ = 0;
  if (summon || dozing_) called_.NotifyOne();
}

void Watch::Close() {
  const MutexLock lock(mutex_);
  closed_ = true;
  called_.NotifyAll();
}

bool Watch::Pending() const {
  pollfd wait{descriptor_, POLLIN, 0};
  return poll(&wait, 1, 0) > 0;
}

void Watch::Look() {
  if (look_ == look_.zero()) return;
  if (skip_ > 0) {
    --skip_;
    return;
  }
  const Clock::time_point begin = Clock::now();
  for (Clock::time_point last = begin; last - begin < look_;) {
    if (Pending()) {
      next_skip_ = 1;
      return;
    }
    const Clock::time_point now = Clock::now();
    if (now - last > kPreempted) break;
    last = now;
  }
  skip_ = next_skip_;
  next_skip_ = std::min(2 * next_skip_, kMaxSkip);
}

}  // namespace betr::fuse
