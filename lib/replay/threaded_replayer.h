// SPDX-License-Identifier: Apache-2.0
// Performs operations by threads as the trace has them: each of its threads gets one here, from its first operation to
// its end. Operations begin as soon as those have ended that they depend on (dependencies.h).
//
// Operations are handed in by one thread, which runs ahead by at most a fixed number of them. As many threads live at a
// time as a trace of a usual machine has; of a trace with more, some share one. That delays, but cannot lock up:
// whatever waits waits for what is earlier in the trace.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#include "base/mutex.h"
#include "replay/interpreter.h"
#include "replay/meter.h"
#include "replay/name_space.h"
#include "replay/operation.h"
#include "replay/schedule.h"

namespace betr::replay {

class ThreadedReplayer final : public OperationSink {
 public:
  static constexpr size_t kMostThreads = 256;
  static constexpr size_t kMostPending = 4096;

  // Both outlive this. The target of the meter takes operations from any thread. The name space, which may be ahead of
  // the operations, gives the paths for messages.
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
  std::vector<Difference> differences_ ABSL_GUARDED_BY(mutex_);  // that are not told yet
  std::unordered_map<ThreadNumber, Worker*> workers_ ABSL_GUARDED_BY(mutex_);  // of the threads that have not ended
  std::vector<std::unique_ptr<Worker>> all_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace betr::replay
