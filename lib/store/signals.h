// SPDX-License-Identifier: Apache-2.0
// What the threads of a store tell each other: that there is work or space, that there is no space for the work, which
// thread has to be alone, and that everything is to end. What the work is, and which thread does it, is in
// background.cc and make_room.cc.
//
// Threads: any, except where a function is for one thread only. Functions that are called with the lock held must not
// call this.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <set>

#include "base/mutex.h"

namespace betr::store {

class Signals {
 public:
  using Predicate = std::function<bool()>;

  // There may be work for the structure thread, or space for what it has found none for.
  void Signal();
  // Something was done: all threads that wait look again.
  void Wake();
  // The threads are to end.
  void Stop();

  // For the structure thread:

  // Waits until somebody has signalled since this returned last. After FoundNoSpace it waits for a limited time, which
  // gets longer each time that nobody has signalled. Never returns beside an Alone. False: the thread is to end.
  bool AwaitWork();
  // There is no space for what there is to do: until the thread looks again, nobody waits for it.
  void FoundNoSpace();
  // After each step: wakes others, and waits beside an Alone and while `is_ahead`, which is called with the lock held.
  // False: the thread is to end.
  bool StepDone(const Predicate& is_ahead);

  // For the writer thread: waits for some time, or until woken, unless `is_due`, which is called with the lock held.
  // False: the thread is to end.
  bool AwaitDue(const Predicate& is_due);

  // For writers:

  // Whether the structure thread has found no space, so that nobody makes room.
  bool NobodyMakesRoom() const;
  // Waits for a moment, or until woken. False if nobody makes room.
  bool AwaitRoom();

  // A checkpoint beside writers. It begins with writers held. It ends when it no longer holds the state that it has
  // made stable; whoever waits for that finds the space that the state kept.
  class Checkpointing {
   public:
    explicit Checkpointing(Signals& signals);
    ~Checkpointing();
    Checkpointing(const Checkpointing&) = delete;
    Checkpointing& operator=(const Checkpointing&) = delete;

   private:
    Signals& signals_;
    uint64_t number_ = 0;
  };
  // Waits until those have ended that have begun: one that a later one has overtaken still holds an older state.
  void AwaitCheckpoints();

  // A step of background work by a thread that holds no writers. Begins beside no Alone, unless the threads are to end.
  class Step {
   public:
    explicit Step(Signals& signals);
    ~Step();
    Step(const Step&) = delete;
    Step& operator=(const Step&) = delete;

   private:
    Signals& signals_;
  };

  // While a writer makes room, nobody else makes steps or checkpoints: those that are under way keep space from it.
  // Begins when those have ended. Requires: writers are held, so that no other checkpoint begins.
  class Alone {
   public:
    explicit Alone(Signals& signals);
    ~Alone();
    Alone(const Alone&) = delete;
    Alone& operator=(const Alone&) = delete;

   private:
    Signals& signals_;
  };

 private:
  mutable Mutex mutex_;
  Condition changed_;  // any of what follows, or something was done
  uint64_t signals_ ABSL_GUARDED_BY(mutex_) = 0;
  uint64_t seen_ ABSL_GUARDED_BY(mutex_) = 0;  // of those, by the structure thread
  bool stopping_ ABSL_GUARDED_BY(mutex_) = false;
  bool is_alone_ ABSL_GUARDED_BY(mutex_) = false;  // a writer
  bool no_space_ ABSL_GUARDED_BY(mutex_) = false;
  std::chrono::nanoseconds retry_ ABSL_GUARDED_BY(mutex_){0};  // how long the thread rests if there is no space
  uint64_t checkpoints_begun_ ABSL_GUARDED_BY(mutex_) = 0;
  std::set<uint64_t> checkpoints_ ABSL_GUARDED_BY(mutex_);  // under way beside writers, by number
  int steps_ ABSL_GUARDED_BY(mutex_) = 0;                   // the same
};

}  // namespace betr::store
