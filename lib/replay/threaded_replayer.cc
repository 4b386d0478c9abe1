// SPDX-License-Identifier: Apache-2.0
#include "replay/threaded_replayer.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "replay/dependencies.h"
#include "replay/replayer.h"

namespace betr::replay {
namespace {

// As many as a report shows.
constexpr size_t kMostDifferences = 32;

}  // namespace

// A thread here, for one or more of the trace.
struct ThreadedReplayer::Worker {
  size_t owners = 0;   // threads of the trace that have not ended
  size_t pending = 0;  // its operations that are not done
  bool has_ended = false;
  std::deque<Task*> ready;
  Condition changed;
  std::thread thread;
};

struct ThreadedReplayer::Task final : Schedule::Task {
  Operation operation;
  Worker* worker = nullptr;  // null: a process event, which takes no time
};

ThreadedReplayer::ThreadedReplayer(Meter* meter, const NameSpace* space) : meter_(*meter), space_(*space) {}

ThreadedReplayer::~ThreadedReplayer() { Finish(); }

ThreadedReplayer::Worker* ThreadedReplayer::WorkerOf(ThreadNumber thread) {
  Worker*& worker = workers_[thread];
  if (worker != nullptr) return worker;
  Reap();
  if (all_.size() < kMostThreads) {
    all_.push_back(std::make_unique<Worker>());
    worker = all_.back().get();
    worker->thread = std::thread([this, worker] { Work(worker); });
  } else {
    worker = all_[thread % all_.size()].get();
  }
  ++worker->owners;
  return worker;
}

void ThreadedReplayer::End(ThreadNumber thread) {
  const auto found = workers_.find(thread);
  if (found == workers_.end()) return;
  --found->second->owners;
  found->second->changed.NotifyOne();
  workers_.erase(found);
}

// Those that have ended need the lock no more.
void ThreadedReplayer::Reap() {
  std::erase_if(all_, [](const std::unique_ptr<Worker>& worker) {
    if (worker->has_ended) worker->thread.join();
    return worker->has_ended;
  });
}

// Hands it to its worker; what is no operation is done at once.
void ThreadedReplayer::Start(Task* task) {
  if (task->worker == nullptr) return Complete(task);
  task->worker->ready.push_back(task);
  task->worker->changed.NotifyOne();
}

void ThreadedReplayer::Complete(Task* task) {
  std::vector<Schedule::Task*> done{task};
  while (!done.empty()) {
    const std::unique_ptr<Task> last(static_cast<Task*>(done.back()));
    done.pop_back();
    for (Schedule::Task* ready : schedule_.Done(last.get())) {
      if (static_cast<Task*>(ready)->worker == nullptr) {
        done.push_back(ready);
      } else {
        Start(static_cast<Task*>(ready));
      }
    }
    if (last->worker != nullptr) --last->worker->pending;
    --pending_;
  }
  has_room_.NotifyOne();
}

ThreadedReplayer::Task* ThreadedReplayer::Next(Worker* worker) {
  MutexLock lock(mutex_);
  while (worker->ready.empty()) {
    if (worker->owners == 0 && worker->pending == 0) {
      worker->has_ended = true;
      return nullptr;
    }
    worker->changed.Wait(lock);
  }
  Task* const task = worker->ready.front();
  worker->ready.pop_front();
  return task;
}

void ThreadedReplayer::Ended(Task* task, std::string what) {
  const MutexLock lock(mutex_);
  if (!what.empty() && differences_.size() < kMostDifferences) {
    differences_.push_back({task->operation, std::move(what)});
  }
  Complete(task);
}

void ThreadedReplayer::Work(Worker* worker) {
  while (Task* const task = Next(worker)) Ended(task, meter_.Perform(task->operation));
}

// The name space belongs to the thread that hands in the operations, which is this one.
void ThreadedReplayer::Tell() {
  for (const Difference& difference : std::exchange(differences_, {})) {
    if (!meter_.WantsSamples()) return;
    meter_.AddSample(difference.operation.line, difference.what, PathOf(difference.operation, space_));
  }
}

void ThreadedReplayer::HandIn(std::unique_ptr<Task> task, const Needs& needs) {
  ++pending_;
  Task* const handed = task.release();  // until it is completed
  if (schedule_.Add(handed, needs)) Start(handed);
}

void ThreadedReplayer::Perform(const Operation& operation) {
  const Needs needs = NeedsOf(operation);
  auto task = std::make_unique<Task>();
  task->operation = operation;
  MutexLock lock(mutex_);
  while (pending_ >= kMostPending) has_room_.Wait(lock);
  Tell();
  task->worker = WorkerOf(operation.thread);
  ++task->worker->pending;
  HandIn(std::move(task), needs);
}

void ThreadedReplayer::Follow(const ProcessEvent& event) {
  MutexLock lock(mutex_);
  if (event.kind == ProcessEvent::Kind::kEnd) return End(event.thread);
  while (pending_ >= kMostPending) has_room_.Wait(lock);
  HandIn(std::make_unique<Task>(), NeedsOf(event));
}

void ThreadedReplayer::Finish() {
  std::vector<std::unique_ptr<Worker>> workers;
  {
    MutexLock lock(mutex_);
    while (pending_ > 0) has_room_.Wait(lock);
    Check(schedule_.size() == 0, "nothing is left when everything is done");
    Tell();
    workers_.clear();
    workers = std::exchange(all_, {});
    for (const std::unique_ptr<Worker>& worker : workers) {
      worker->owners = 0;
      worker->changed.NotifyOne();
    }
  }
  for (const std::unique_ptr<Worker>& worker : workers) worker->thread.join();
}

}  // namespace betr::replay
