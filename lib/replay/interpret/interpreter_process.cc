// SPDX-License-Identifier: Apache-2.0
// Calls that change what a process is, or where.
#include <sched.h>

#include <cerrno>

#include "replay/interpret/interpreter.h"

namespace betr::replay {

void Interpreter::Fork(Call& call) {
  if (!call.event.child.has_value()) return;
  uint64_t flags = call.event.name == "vfork" ? CLONE_VM : 0;
  if (call.event.name.starts_with("clone")) {
    const std::string_view arguments =
        call.event.name == "clone3" ? call.Argument(0) : std::string_view(call.event.arguments);
    flags = ParseFlags(FindField(arguments, "flags")).value_or(0);
  }
  ++counts_.used;
  processes_.Fork(call.event.thread, *call.event.child,
                  {.files = (flags & CLONE_FILES) != 0,
                   .directories = (flags & CLONE_FS) != 0,
                   .memory = (flags & CLONE_VM) != 0,
                   .group = (flags & CLONE_THREAD) != 0});
  sink_.Follow({.kind = ProcessEvent::Kind::kFork,
                .thread = call.event.thread,
                .other = *call.event.child,
                .line = call.event.line});
}

// wait4 returns the child, waitid tells it in its second structure.
void Interpreter::Wait(Call& call) {
  ++counts_.other;
  const bool is_told = call.event.name == "waitid";
  const int64_t child = is_told ? ParsePid(FindField(call.Argument(2), "si_pid")).value_or(0) : call.result().pid;
  if (!call.result().ok() || child <= 0 || child > UINT32_MAX) return;
  sink_.Follow({.kind = ProcessEvent::Kind::kJoin,
                .thread = call.event.thread,
                .other = static_cast<ThreadNumber>(child),
                .line = call.event.line});
}

void Interpreter::Exec(Call& call) {
  if (!call.result().ok()) return;
  ++counts_.used;
  processes_.Exec(call.event.thread);
}

void Interpreter::ExitGroup(Call& call) {
  ++counts_.used;
  processes_.ExitGroup(call.event.thread);
}

// The thread has ended, or its number goes on as that of the thread which has called execve.
void Interpreter::End(const CallEvent& event) {
  processes_.Exit(event.thread);
  ThreadNumber ended = event.thread;
  if (event.successor.has_value()) {
    ended = *event.successor;
    processes_.Rename(ended, event.thread);
    sink_.Follow({.kind = ProcessEvent::Kind::kJoin, .thread = event.thread, .other = ended, .line = event.line});
  }
  sink_.Follow({.kind = ProcessEvent::Kind::kEnd, .thread = ended, .line = event.line});
}

void Interpreter::ChangeDirectory(Call& call) {
  const bool is_done = call.result().ok();
  const uint64_t outside = counts_.outside;
  std::optional<Subject> subject = Resolve(call, "", call.Argument(0), FollowLast::kYes);
  Directories& directories = *call.task.directories;
  if (!subject.has_value()) {
    if (!is_done) return;
    directories.is_current_known = counts_.outside > outside && lost_.empty();
    directories.current = nullptr;
    return;
  }
  if (is_done) ConjureMissing(call, &*subject, FileType::kDirectory);
  int predicted = subject->MissingError();
  if (predicted == 0 && !IsDirectory(subject->walk.place.node, is_done)) predicted = ENOTDIR;
  // Targets are asked whether it is there, which it is.
  const bool is_open_file = subject->file != nullptr && predicted == ENOTDIR;
  if (is_open_file && call.result().error == ENOTDIR) return Skip("chdir: the descriptor of a file");
  Operation look = Start(call, OperationKind::kStat, *subject);
  look.variant = Variant::kExistence;
  const bool is_agreed = Agree(call, &look, predicted);
  if (is_agreed) Emit(&look);
  if (!is_done) return;
  directories.is_current_known = is_agreed;
  directories.current = is_agreed ? Use(subject->walk.place.node) : nullptr;
}

void Interpreter::ChangeDirectoryTo(Call& call) {
  if (!call.result().ok()) return;
  const DescriptionPointer file = FileOf(call, call.Argument(0));
  ++counts_.used;
  const bool is_directory = file != nullptr && IsDirectory(file->node, true);
  call.task.directories->is_current_known = file != nullptr ? is_directory : !IsUntold(call, call.Argument(0));
  if (file != nullptr && !is_directory) Conflict(call, "fchdir: no directory by the name space");
  call.task.directories->current = is_directory ? Use(file->node) : nullptr;
}

void Interpreter::ChangeRoot(Call& call) {
  if (!call.result().ok()) return;
  std::optional<Subject> subject = Resolve(call, "", call.Argument(0), FollowLast::kYes);
  // Until it is known to be inside: whatever absolute paths mean from now on, it is not in here.
  Directories& directories = *call.task.directories;
  directories.is_root_outside = true;
  if (!subject.has_value()) return;
  ConjureMissing(call, &*subject, FileType::kDirectory);
  int predicted = subject->MissingError();
  if (predicted == 0 && !IsDirectory(subject->walk.place.node, true)) predicted = ENOTDIR;
  Operation look = Start(call, OperationKind::kStat, *subject);
  if (!Agree(call, &look, predicted)) return;
  directories.root = Use(subject->walk.place.node);
  directories.is_root_outside = false;
}

void Interpreter::Umask(Call& call) {
  ++counts_.used;
  call.task.directories->umask = static_cast<uint32_t>(call.Number(0)) & 0777;
}

}  // namespace betr::replay
