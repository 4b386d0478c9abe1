// SPDX-License-Identifier: Apache-2.0
// A thread that does jobs one after the other, in the order in which they came.
#pragma once

#include <deque>
#include <functional>
#include <thread>

#include "base/mutex.h"

namespace betr::fuse {

class JobThread {
 public:
  JobThread();
  // Does the jobs that are left.
  ~JobThread();
  JobThread(const JobThread&) = delete;
  JobThread& operator=(const JobThread&) = delete;

  // Returns false and does nothing after TakeNoMore.
  bool Enqueue(std::function<void()> job);
  void TakeNoMore();
  // Waits until all jobs enqueued so far are done. Must not be called in a job.
  void WaitUntilIdle();

 private:
  void Run();

  Mutex mutex_;
  Condition changed_;
  std::deque<std::function<void()>> jobs_ ABSL_GUARDED_BY(mutex_);
  bool is_busy_ ABSL_GUARDED_BY(mutex_) = false;
  bool takes_more_ ABSL_GUARDED_BY(mutex_) = true;
  bool is_ending_ ABSL_GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

}  // namespace betr::fuse
