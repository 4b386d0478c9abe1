// SPDX-License-Identifier: Apache-2.0
// The locks lock: counters that are exact, a queue that hands everything over.
#include "base/mutex.h"

#include <catch2/catch.hpp>
#include <thread>
#include <vector>

namespace betr {
namespace {

struct Counter {
  Mutex mutex;
  int count ABSL_GUARDED_BY(mutex) = 0;
  SharedMutex shared_mutex;
  int shared_count ABSL_GUARDED_BY(shared_mutex) = 0;
};

TEST_CASE("a mutex excludes, a shared mutex lets readers in together", "[base]") {
  Counter counter;
  std::vector<std::thread> threads;
  threads.reserve(4);
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&counter] {
      for (int round = 0; round < 1000; ++round) {
        {
          const MutexLock lock(counter.mutex);
          ++counter.count;
        }
        {
          const WriterLock lock(counter.shared_mutex);
          ++counter.shared_count;
        }
        const ReaderLock lock(counter.shared_mutex);
        if (counter.shared_count < round) std::abort();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  const ReaderLock first(counter.shared_mutex);
  const MutexLock lock(counter.mutex);
  CHECK(counter.count == 4000);
  CHECK(counter.shared_count == 4000);
}

TEST_CASE("a condition wakes who waits for it", "[base]") {
  Mutex mutex;
  Condition changed;
  int stage = 0;
  std::thread other([&] {
    MutexLock lock(mutex);
    while (stage != 1) changed.Wait(lock);
    stage = 2;
    changed.NotifyAll();
  });
  MutexLock lock(mutex);
  stage = 1;
  changed.NotifyOne();
  while (stage != 2) changed.Wait(lock);
  CHECK_FALSE(changed.WaitFor(lock, std::chrono::nanoseconds{1}));
  other.join();
}

}  // namespace
}  // namespace betr
