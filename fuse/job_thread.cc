// SPDX-License-Identifier: Apache-2.0
#include "job_thread.h"

#include <utility>

namespace betr::fuse {

JobThread::JobThread() : thread_([this] { Run(); }) {}

JobThread::~JobThread() {
  {
    const MutexLock lock(mutex_);
    is_ending_ = true;
  }
  changed_.NotifyAll();
  thread_.join();
}

bool JobThread::Enqueue(std::function<void()> job) {
  {
    const MutexLock lock(mutex_);
    if (!takes_more_) return false;
    jobs_.push_back(std::move(job));
  }
  changed_.NotifyAll();
  return true;
}

void JobThread::TakeNoMore() {
  const MutexLock lock(mutex_);
  takes_more_ = false;
}

void JobThread::WaitUntilIdle() {
  MutexLock lock(mutex_);
  while (is_busy_ || !jobs_.empty()) changed_.Wait(lock);
}

void JobThread::Run() {
  while (true) {
    std::function<void()> job;
    {
      MutexLock lock(mutex_);
      while (jobs_.empty() && !is_ending_) changed_.Wait(lock);
      if (jobs_.empty()) return;
      job = std::move(jobs_.front());
      jobs_.pop_front();
      is_busy_ = true;
    }
    job();
    {
      const MutexLock lock(mutex_);
      is_busy_ = false;
    }
    changed_.NotifyAll();
  }
}

}  // namespace betr::fuse
