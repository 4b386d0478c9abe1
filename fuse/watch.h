// SPDX-License-Identifier: Apache-2.0
// Which thread waits for the next request, and how. Putting a thread to sleep and waking it costs more than most
// requests do (docs/posix.md, "Measured"), so
//
//   * one thread at a time watches; it answers what is quick itself, and then watches again. The others sleep, and the
//     kernel has nobody else to wake;
//   * whoever watches looks for a while before it sleeps, if that was worth it the last times.
//
// When the watcher has a request that may take long, or there are processors to spare and more requests wait already,
// another thread is summoned. When a request that should have been quick is not, one comes by itself: of the threads
// that sleep one is the deputy, who wakes every millisecond as long as there are requests.
#pragma once

#include <chrono>
#include <cstdint>

#include "base/mutex.h"

namespace betr::fuse {

class Watch {
 public:
  // `descriptor`: becomes readable with the next request. `look`: how long to look for it before sleeping; 0: not at
  // all, and all threads sleep for it at once, since there is nothing to be had by turns.
  Watch(int descriptor, std::chrono::microseconds look);

  // Waits until nobody else watches. False once Close was called.
  bool Take();
  // For who has the watch: returns when there is a request, or when it is better to sleep for it.
  void Look();
  // Whether there is a request.
  bool Pending() const;
  // Ends this thread's watch. `summon`: another thread takes it now, and not only if this one stays away.
  void Give(bool summon);
  void Close();

 private:
  bool TryTake();
  // Sleeps for a millisecond, or until somebody calls. Whether the watch has been free since before.
  bool WaitAsDeputy(MutexLock& lock) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const int descriptor_;
  const std::chrono::microseconds look_;

  // Of who has the watch:
  unsigned skip_ = 0;       // so many times not to look
  unsigned next_skip_ = 1;  // if looking fails again

  Mutex deputy_mutex_;  // before mutex_; held by the deputy, others sleep for it
  Mutex mutex_;
  Condition called_;  // the deputy
  bool taken_ ABSL_GUARDED_BY(mutex_) = false;
  bool summoned_ ABSL_GUARDED_BY(mutex_) = false;
  bool closed_ ABSL_GUARDED_BY(mutex_) = false;
  bool dozing_ ABSL_GUARDED_BY(mutex_) = false;  // the deputy, without a limit of time
  uint64_t given_ ABSL_GUARDED_BY(mutex_) = 0;   // how often
  unsigned quiet_ ABSL_GUARDED_BY(mutex_) = 0;   // milliseconds without a request
};

}  // namespace betr::fuse
