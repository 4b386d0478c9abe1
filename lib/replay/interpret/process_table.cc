// SPDX-License-Identifier: Apache-2.0
#include "replay/interpret/process_table.h"

namespace betr::replay {

void ProcessTable::Fork(ThreadNumber parent, ThreadNumber child, const Sharing& sharing) {
  const Task from = Get(parent);
  Task task = from;
  if (!sharing.files) {
    task.files = std::make_shared<DescriptorTable>(*from.files);
    task.files->replaced.clear();
  }
  if (!sharing.memory) task.memory = std::make_shared<MemoryMap>(*from.memory);
  if (!sharing.group) task.group = std::make_shared<ThreadGroup>();
  if (!sharing.directories) task.directories = std::make_shared<Directories>(*from.directories);
  tasks_.insert_or_assign(child, std::move(task));
}

void ProcessTable::Exec(ThreadNumber thread) {
  Task& task = Get(thread);
  auto own = std::make_shared<DescriptorTable>();
  for (const auto& [number, descriptor] : task.files->open) {
    if (!descriptor.is_closed_on_exec) own->open.emplace(number, descriptor);
  }
  // Which of these close on exec is not known.
  for (const auto& [number, is_open] : task.files->elsewhere) own->elsewhere.emplace(number, false);
  task.files = std::move(own);
  task.memory = std::make_shared<MemoryMap>();
}

void ProcessTable::Rename(ThreadNumber thread, ThreadNumber number) {
  auto entry = tasks_.extract(thread);
  if (entry.empty()) return;
  tasks_.erase(number);
  entry.key() = number;
  tasks_.insert(std::move(entry));
}

void ProcessTable::ExitGroup(ThreadNumber thread) {
  const std::shared_ptr<const ThreadGroup> group = Get(thread).group;
  std::erase_if(tasks_, [&group](const auto& entry) { return entry.second.group == group; });
}

}  // namespace betr::replay
