// SPDX-License-Identifier: Apache-2.0
// Threads that take over rounds of loops whose rounds are independent of each other, such as compressing the blocks of
// a node. The result does not depend on who did which round.
#pragma once

#include <absl/functional/function_ref.h>

#include <atomic>
#include <thread>
#include <vector>

#include "base/mutex.h"

namespace betr {

// Thread-safe. Not to be destroyed during a loop.
class Helpers {
 public:
  // Starts the threads. None is fine: then the caller does every loop. So are fewer than asked for, if the system has
  // no more threads.
  explicit Helpers(unsigned threads);
  ~Helpers();
  Helpers(const Helpers&) = delete;
  Helpers& operator=(const Helpers&) = delete;

  // Calls round(0) ... round(count - 1), each once, in this thread and others, and returns when all have returned. A
  // round must not begin a loop. Only one loop has the helpers at a time. Callers that come meanwhile do their loop
  // alone.
  void ForEach(size_t count, absl::FunctionRef<void(size_t)> round);

 private:
  struct Loop {
    absl::FunctionRef<void(size_t)> round;
    size_t count;
    std::atomic<size_t> next{0};
    size_t helping = 0;  // helpers that may be in a round; guarded by mutex_

    bool AllBegun() const { return next.load() >= count; }
    void Work();
  };

  void Help();
  // Waits for a loop that has rounds left. Null at the end.
  Loop* Join();
  void Leave(Loop& loop);

  Mutex mutex_;
  Condition wake_;      // of helpers: there is a loop, or the end
  Condition finished_;  // of the loop's caller
  Loop* loop_ ABSL_GUARDED_BY(mutex_) = nullptr;
  bool stopping_ ABSL_GUARDED_BY(mutex_) = false;
  std::vector<std::thread> threads_;
};

}  // namespace betr
