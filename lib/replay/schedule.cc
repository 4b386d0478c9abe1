// SPDX-License-Identifier: Apache-2.0
#include "replay/schedule.h"

#include "base/check.h"

namespace betr::replay {

struct Group {
  Resource resource{};
  Access access = Access::kShared;
  size_t unfinished = 0;
  std::shared_ptr<Group> before{};
  std::vector<Schedule::Task*> waiting{};  // members of the group behind this one
};

Schedule::Schedule() = default;
Schedule::~Schedule() = default;

bool Schedule::Add(Task* task, const Needs& needs) {
  for (const Need& need : needs) {
    std::shared_ptr<Group>& current = current_[need.resource];
    if (current == nullptr || Excludes(current->access, need.access)) {
      auto group = std::make_shared<Group>();
      group->resource = need.resource;
      group->access = need.access;
      group->before = std::move(current);
      current = std::move(group);
    }
    ++current->unfinished;
    task->groups_.push_back(current);
    if (current->before == nullptr) continue;
    if (current->before->unfinished == 0) {
      current->before.reset();
    } else {
      current->before->waiting.push_back(task);
      ++task->waits_;
    }
  }
  return task->waits_ == 0;
}

std::vector<Schedule::Task*> Schedule::Done(Task* task) {
  Check(task->waits_ == 0, "a task is done after what it waits for");
  std::vector<Task*> ready;
  for (const std::shared_ptr<Group>& group : task->groups_) {
    if (--group->unfinished > 0) continue;
    for (Task* waiting : group->waiting) {
      if (--waiting->waits_ == 0) ready.push_back(waiting);
    }
    group->waiting.clear();
    group->before.reset();
    const auto found = current_.find(group->resource);
    if (found != current_.end() && found->second == group) current_.erase(found);
  }
  task->groups_.clear();
  return ready;
}

}  // namespace betr::replay
