// SPDX-License-Identifier: Apache-2.0
// The system's locks, with annotations that let clang check (-Wthread-safety) how they are used. What is
// marked ABSL_GUARDED_BY(mutex_) is only touched with the mutex held. Functions marked
// ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) are only called so. absl::Mutex is not used, because ThreadSanitizer cannot
// look into the system's build of Abseil and would report races that are none.
//
// Locks are held only through the scoped classes. They are never held across I/O, unless the member that says so is
// about I/O.
#pragma once

#include <absl/base/thread_annotations.h>
#include <pthread.h>

#include <chrono>
#include <condition_variable>
#include <mutex>

namespace betr {

// One holder at a time.
class ABSL_LOCKABLE Mutex {
 private:
  friend class MutexLock;
  std::mutex mutex_;
};

// Holds a Mutex from here to the end of the scope.
class ABSL_SCOPED_LOCKABLE MutexLock {
 public:
  explicit MutexLock(Mutex& mutex) ABSL_EXCLUSIVE_LOCK_FUNCTION(mutex) : lock_(mutex.mutex_) {}
  ~MutexLock() ABSL_UNLOCK_FUNCTION() = default;
  MutexLock(const MutexLock&) = delete;
  MutexLock& operator=(const MutexLock&) = delete;

 private:
  friend class Condition;
  std::unique_lock<std::mutex> lock_;
};

// Waits, with a mutex held, for another thread to change what it guards. May wake for no reason: wait in a loop that
// checks.
class Condition {
 public:
  void Wait(MutexLock& lock) { variable_.wait(lock.lock_); }
  // False when the time is over.
  bool WaitFor(MutexLock& lock, std::chrono::nanoseconds time) {
    return variable_.wait_for(lock.lock_, time) == std::cv_status::no_timeout;
  }
  void NotifyOne() { variable_.notify_one(); }
  void NotifyAll() { variable_.notify_all(); }

 private:
  std::condition_variable variable_;
};

// Any number of readers, or one writer. A writer that waits comes before readers that come later, so readers that never
// pause cannot keep it out (std::shared_mutex lets them). So a thread must not take a reader's lock twice.
class ABSL_LOCKABLE SharedMutex {
 public:
  SharedMutex();
  ~SharedMutex() { pthread_rwlock_destroy(&lock_); }
  SharedMutex(const SharedMutex&) = delete;
  SharedMutex& operator=(const SharedMutex&) = delete;

 private:
  friend class ReaderLock;
  friend class WriterLock;
  pthread_rwlock_t lock_;
};

class ABSL_SCOPED_LOCKABLE ReaderLock {
 public:
  explicit ReaderLock(SharedMutex& mutex) ABSL_SHARED_LOCK_FUNCTION(mutex);
  ~ReaderLock() ABSL_UNLOCK_FUNCTION() { pthread_rwlock_unlock(&lock_); }
  ReaderLock(const ReaderLock&) = delete;
  ReaderLock& operator=(const ReaderLock&) = delete;

 private:
  pthread_rwlock_t& lock_;
};

class ABSL_SCOPED_LOCKABLE WriterLock {
 public:
  explicit WriterLock(SharedMutex& mutex) ABSL_EXCLUSIVE_LOCK_FUNCTION(mutex);
  ~WriterLock() ABSL_UNLOCK_FUNCTION() { pthread_rwlock_unlock(&lock_); }
  WriterLock(const WriterLock&) = delete;
  WriterLock& operator=(const WriterLock&) = delete;

 private:
  pthread_rwlock_t& lock_;
};

}  // namespace betr
