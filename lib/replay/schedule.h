// SPDX-License-Identifier: Apache-2.0
// Says which of the operations that were handed in may be done now (dependencies.h). What needs a thing in the same
// way, one after the other in the trace, is a group: its members may be done at once, and wait for the group before. A
// group is forgotten when all its members are done, so the memory is that of what is not done yet.
//
// One thread at a time.
#pragma once

#include <absl/container/flat_hash_map.h>
#include <absl/container/inlined_vector.h>

#include <cstddef>
#include <memory>
#include <vector>

#include "replay/dependencies.h"

namespace betr::replay {

// Tasks that need one thing in one way.
struct Group;

class Schedule {
 public:
  // Something to be done; whoever hands it in derives from it, and owns it until it is done.
  class Task {
   public:
    Task() = default;
    virtual ~Task() = default;
    Task(const Task&) = delete;
    Task& operator=(const Task&) = delete;

   private:
    friend class Schedule;
    size_t waits_ = 0;  // for so many groups
    absl::InlinedVector<std::shared_ptr<Group>, 12> groups_;
  };

  Schedule();
  ~Schedule();

  // Hands in the next task of the trace. True if it may be done at once.
  bool Add(Task* task, const Needs& needs);
  // The task is done. Returns those that may be done from now on. Each task is returned once.
  std::vector<Task*> Done(Task* task);

  // Groups that are not forgotten; 0 when everything is done.
  size_t size() const { return current_.size(); }

 private:
  // The last group of each thing.
  absl::flat_hash_map<Resource, std::shared_ptr<Group>> current_;
};

}  // namespace betr::replay
