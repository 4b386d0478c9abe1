// SPDX-License-Identifier: Apache-2.0
// The memory budget of a store. Slots (slots.h) register what they hold in memory and could load again. When the budget
// is exceeded, the cache makes them drop it, coldest first. What is not on disk yet is only counted here; it becomes
// droppable when the node writer has written it.
#pragma once

#include <atomic>
#include <list>
#include <memory>
#include <vector>

#include "base/mutex.h"
#include "betr/units.h"

namespace betr::store {

// Something that holds memory which can be loaded again.
class Cached {
 public:
  virtual ~Cached() = default;
  // Lets go of the memory and returns it, so that it dies after the cache's lock is released: what dies with it may
  // itself be registered. Must not call the cache.
  virtual std::shared_ptr<const void> Drop() = 0;

 protected:
  // Says that the content was used. Cheap, any thread.
  void Touch() const { hot_.store(true, std::memory_order_relaxed); }

 private:
  friend class Cache;
  mutable std::atomic<bool> hot_{true};
  bool registered_ = false;  // guarded by the cache's lock, as what follows
  Bytes charge_{0};
  std::list<Cached*>::iterator place_;
};

// Thread-safe. Lock order: a slot never holds its own lock when it calls the cache.
class Cache {
 public:
  explicit Cache(Bytes budget) : budget_(budget) {}

  // Registers what `cached` holds now, and drops colder things while all that counts exceeds the budget.
  void Register(Cached* cached, Bytes charge);
  // Requires: nobody calls Register for it any more. After this Drop is not called.
  void Unregister(Cached* cached);

  // What is dirty drives out what is clean. As with Register, no slot's lock is held.
  void AddDirty(Bytes bytes);
  void RemoveDirty(Bytes bytes) { dirty_.fetch_sub(bytes.value, std::memory_order_relaxed); }

  // How much memory others have now that the budget is to pay for, too. As with Register, no slot's lock is held.
  void SetOthers(Bytes bytes);

  Bytes Budget() const { return budget_; }
  Bytes Clean() const { return {clean_.load(std::memory_order_relaxed)}; }
  Bytes Dirty() const { return {dirty_.load(std::memory_order_relaxed)}; }

 private:
  using Garbage = std::vector<std::shared_ptr<const void>>;
  // Memory that was taken. What comes and goes leaves holes; now and then they are given back.
  void CountChurn(Bytes bytes);
  bool IsOver() const { return Clean() + Dirty() + Bytes{others_.load(std::memory_order_relaxed)} > budget_; }
  // Drops until everything fits again.
  void Shrink();
  void ShrinkLocked(Garbage& garbage) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const Bytes budget_;
  std::atomic<uint64_t> dirty_{0};
  std::atomic<uint64_t> clean_{0};
  std::atomic<uint64_t> others_{0};
  std::atomic<uint64_t> churn_{0};
  Mutex mutex_;
  // The clock: the hand is at the front; what was used since the hand passed goes to the back once more.
  std::list<Cached*> clock_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace betr::store
