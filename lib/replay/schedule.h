// SPDX-License-Identifier: Apache-2.0
// Says which of the operations handed in may be done now (dependencies.h). Operations that follow each other in the
// trace and need a thing in the same way form a group. Its members may be done at the same time, after the group
// before. A group is forgotten when all its members are done. So the memory is that of what is not done yet.
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
  // Something to be done. Whoever hands it in derives from it, and owns it until it is done.
  class Task {
   public:
    Task() = default;
    virtual ~Task() = default;
    Task(const Task&) = delete;
    Task& operator=(const Task&) = delete;

   private:
    friend class Schedule;
    size_t waits_ = 0;  // for how many groups
    absl::InlinedVector<std::shared_ptr<Group>, 12> groups_;
  };

  Schedule();
  ~Schedule();

  // Hands in the next task of the trace. Returns whether it may be done at once.
  bool Add(Task* task, const Needs& needs);
  // Says that a task is done. Returns those that may be done from now on. Each task is returned once.
  std::vector<Task*> Done(Task* task);

  // The number of groups not forgotten; 0 when everything is done.
  size_t size() const { return current_.size(); }

 private:
  // The last group of each thing.
  absl::flat_hash_map<Resource, std::shared_ptr<Group>> current_;
};

}  // namespace betr::replay
