// SPDX-License-Identifier: Apache-2.0
// The threads of a trace, with what they share or own: descriptors, working directory, root directory, umask, mappings.
// It knows nothing of calls; the interpreter keeps it in step with them. Descriptors that lead to nothing in the replay
// (pipes, sockets, files outside) are kept only as numbers.
//
// What is shared is held by shared pointers, as the kernel counts references. When the last descriptor of an open file
// goes, its deleter tells the interpreter. One thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "replay/interpret/memory_map.h"
#include "replay/interpret/open_description.h"
#include "replay/interpret/operation.h"
#include "replay/trace/process_event.h"

namespace betr::replay {

struct Descriptor {
  DescriptionPointer description;
  bool is_closed_on_exec = false;
};

// A use of a node that ends with its last holder.
using NodeUse = std::shared_ptr<const NodeNumber>;

struct DescriptorTable {
  std::map<int, Descriptor> open;
  // Those that calls have made and that lead to nothing in the replay, each with whether it is sure to be open: an
  // execve may have closed it.
  std::map<int, bool> elsewhere;
  // Those of `elsewhere` that stand for a process.
  std::map<int, ThreadNumber> processes;
  // Descriptors that another thread got anew before the trace says that they were closed. The close is still to come.
  std::map<int, ThreadNumber> replaced;
};

// Null: not known, or outside of what is replayed.
struct Directories {
  NodeUse current;
  NodeUse root;
  uint32_t umask = 022;
  bool is_current_known = false;
  bool is_root_outside = false;
};

// What was open before the trace, by descriptor. The threads of one ancestry share it, whichever of them uses it first.
using InheritedFiles = std::map<int, DescriptionPointer>;

// The threads of one process (CLONE_THREAD) share one.
struct ThreadGroup {};

struct Task {
  std::shared_ptr<DescriptorTable> files = std::make_shared<DescriptorTable>();
  std::shared_ptr<Directories> directories = std::make_shared<Directories>();
  std::shared_ptr<MemoryMap> memory = std::make_shared<MemoryMap>();
  std::shared_ptr<InheritedFiles> inherited = std::make_shared<InheritedFiles>();
  std::shared_ptr<const ThreadGroup> group = std::make_shared<ThreadGroup>();
};

class ProcessTable {
 public:
  // Returns the thread's task. A thread that nobody forked gets an empty one.
  Task& Get(ThreadNumber thread) { return tasks_[thread]; }
  bool Has(ThreadNumber thread) const { return tasks_.contains(thread); }

  struct Sharing {
    bool files = false;        // CLONE_FILES
    bool directories = false;  // CLONE_FS
    bool memory = false;       // CLONE_VM
    bool group = false;        // CLONE_THREAD
  };
  void Fork(ThreadNumber parent, ThreadNumber child, const Sharing& sharing);
  // Replaces the program. The descriptors are then the thread's own, without those that close on exec. Nothing is
  // mapped.
  void Exec(ThreadNumber thread);
  void Exit(ThreadNumber thread) { tasks_.erase(thread); }
  // Lets `thread` go on with another number, whose task is gone.
  void Rename(ThreadNumber thread, ThreadNumber number);
  // Ends all threads of the process of this one: exit_group.
  void ExitGroup(ThreadNumber thread);
  void Clear() { tasks_.clear(); }

 private:
  std::unordered_map<ThreadNumber, Task> tasks_;  // references stay valid when threads come
};

}  // namespace betr::replay
