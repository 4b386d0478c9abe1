// SPDX-License-Identifier: Apache-2.0
// Decides which thread waits for the next request, and how. Putting a thread to sleep and waking it costs more than
// most requests do (docs/posix.md, "Measured"). So
//
//   * one thread at a time watches. It answers quick requests itself, and then watches again. The others sleep, so the
//     kernel has nobody else to wake.
//   * the watcher looks for a while before it sleeps, if that was worth it the last times.
//
// Another thread is summoned when the watcher has a request that may take long, or when more requests wait already and
// there are processors to spare. If a request that should have been quick is not, another thread comes by itself. For
// this, one of the sleeping threads is the deputy. It wakes every millisecond as long as there are requests.
#pragma once

#include <chrono>
#include <cstdint>

#include "base/mutex.h"

namespace betr::fuse {

class Watch {
 public:
  // `descriptor` becomes readable with the next request. `look` is how long to look for that before sleeping. With 0,
  // nobody looks and there are no turns, as these would gain nothing: all threads sleep for the next request at once.
  Watch(int descriptor, std::chrono::microseconds look);

  // Takes the watch, once nobody else has it. Returns false once Close was called.
  bool Take();
  // Called by the watcher. Returns when there is a request, or when it is better to sleep until there is.
  void Look();
  // Whether there is a request.
  bool Pending() const;
  // Ends this thread's watch. With `summon`, another thread takes it now; otherwise only if this one stays away.
  void Give(bool summon);
  void Close();

 private:
  bool TryTake();
  // Sleeps until somebody calls; as long as there are requests, for a millisecond at most. Returns whether nobody has
  // had the watch all that time.
  bool WaitAsDeputy(MutexLock& lock) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const int descriptor_;
  const std::chrono::microseconds look_;

  // Used only by the watcher:
  unsigned skip_ = 0;       // how many times not to look
  unsigned next_skip_ = 1;  // what `skip_` becomes if looking fails again

  Mutex deputy_mutex_;  // locked before mutex_; held by the deputy; the others wait for it
  Mutex mutex_;
  Condition called_;  // the deputy
  bool taken_ ABSL_GUARDED_BY(mutex_) = false;
  bool summoned_ ABSL_GUARDED_BY(mutex_) = false;
  bool closed_ ABSL_GUARDED_BY(mutex_) = false;
  bool dozing_ ABSL_GUARDED_BY(mutex_) = false;  // the deputy sleeps without a time limit
  uint64_t given_ ABSL_GUARDED_BY(mutex_) = 0;   // how often
  unsigned quiet_ ABSL_GUARDED_BY(mutex_) = 0;   // milliseconds without a request
};

}  // namespace betr::fuse
