// SPDX-License-Identifier: Apache-2.0
#include "store/cache.h"

#include "base/free_memory.h"

namespace betr::store {
namespace {

constexpr Bytes kTrimEvery = MiB(16);

}  // namespace

void Cache::Register(Cached* cached, Bytes charge) {
  {
    Garbage garbage;  // destroyed after the lock is released
    const MutexLock lock(mutex_);
    if (cached->registered_) {
      clean_.fetch_sub(cached->charge_.value, std::memory_order_relaxed);
    } else {
      cached->place_ = clock_.insert(clock_.end(), cached);
      cached->registered_ = true;
    }
    cached->charge_ = charge;
    clean_.fetch_add(charge.value, std::memory_order_relaxed);
    ShrinkLocked(garbage);
  }
  CountChurn(charge);
}

void Cache::Unregister(Cached* cached) {
  const MutexLock lock(mutex_);
  if (cached->registered_) {
    clock_.erase(cached->place_);
    clean_.fetch_sub(cached->charge_.value, std::memory_order_relaxed);
    cached->registered_ = false;
  }
}

void Cache::AddDirty(Bytes bytes) {
  dirty_.fetch_add(bytes.value, std::memory_order_relaxed);
  if (IsOver()) Shrink();
  CountChurn(bytes);
}

void Cache::SetOthers(Bytes bytes) {
  others_.store(bytes.value, std::memory_order_relaxed);
  if (IsOver()) Shrink();
}

void Cache::CountChurn(Bytes bytes) {
  if (churn_.fetch_add(bytes.value, std::memory_order_relaxed) + bytes.value < kTrimEvery.value) return;
  churn_.store(0, std::memory_order_relaxed);
  TrimFreeMemory();
}

void Cache::Shrink() {
  Garbage garbage;
  const MutexLock lock(mutex_);
  ShrinkLocked(garbage);
}

void Cache::ShrinkLocked(Garbage& garbage) {
  // Each entry gets at most one second chance per call, so the loop ends.
  for (size_t chances = 2 * clock_.size(); chances > 0 && !clock_.empty() && IsOver(); --chances) {
    Cached* coldest = clock_.front();
    if (coldest->hot_.exchange(false, std::memory_order_relaxed)) {
      clock_.splice(clock_.end(), clock_, clock_.begin());
      continue;
    }
    clock_.pop_front();
    clean_.fetch_sub(coldest->charge_.value, std::memory_order_relaxed);
    coldest->registered_ = false;
    garbage.push_back(coldest->Drop());
  }
}

}  // namespace betr::store
