// SPDX-License-Identifier: Apache-2.0
// Performs operations in threads as the trace has them. Each thread of the trace gets one here, from its first
// operation to its end. An operation begins as soon as those that it depends on have ended (dependencies.h).
//
// Operations are handed in by one thread, which runs ahead by at most a fixed number of them. The number of threads is
// limited to what a trace of a usual machine has at a time. With more threads in a trace, some share one. That delays,
// but cannot deadlock: whatever waits waits for something earlier in the trace.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#include "base/mutex.h"
#include "replay/interpret/interpreter.h"
#include "replay/interpret/name_space.h"
#include "replay/interpret/operation.h"
#include "replay/meter.h"
#include "replay/schedule.h"

namespace betr::replay {

class ThreadedReplayer final : public OperationSink {
 public:
  static constexpr size_t kMostThreads = 256;
  static constexpr size_t kMostPending = 4096;

  // Both must outlive this. The meter's target must take operations from any thread. The name space gives the paths for
  // messages; it may be ahead of the operations.
  ThreadedReplayer(Meter* meter, const NameSpace* space);
  ~ThreadedReplayer() override;

  void Perform(const Operation& operation) override;
  void Follow(const ProcessEvent& event) override;
  // Waits until all operations are done, and ends the threads.
  void Finish();

 private:
  struct Worker;
  struct Task;
  // An operation that ended otherwise than in the trace.
  struct Difference {
    Operation operation;
    std::string what;
  };

  Worker* WorkerOf(ThreadNumber thread) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void End(ThreadNumber thread) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Start(Task* task) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Complete(Task* task) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Tell() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Reap() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void HandIn(std::unique_ptr<Task> task, const Needs& needs) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Work(Worker* worker);
  Task* Next(Worker* worker);
  void Ended(Task* task, std::string what);

  Meter& meter_;
  const NameSpace& space_;

  Mutex mutex_;
  Condition has_room_;
  Schedule schedule_ ABSL_GUARDED_BY(mutex_);
  size_t pending_ ABSL_GUARDED_BY(mutex_) = 0;                   // operations and events that are not done
  std::vector<Difference> differences_ ABSL_GUARDED_BY(mutex_);  // not reported yet
  std::unordered_map<ThreadNumber, Worker*> workers_ ABSL_GUARDED_BY(mutex_);  // of the threads that have not ended
  std::vector<std::unique_ptr<Worker>> all_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace betr::replay
