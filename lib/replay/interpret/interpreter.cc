// SPDX-License-Identifier: Apache-2.0
#include "replay/interpret/interpreter.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <cerrno>

#include "replay/interpret/call_table.h"
#include "replay/trace/symbols.h"

namespace betr::replay {
namespace {

constexpr size_t kMostSamples = 20;

// Errors that come from the process, its rights and limits, other processes, or the device; a replay would not meet
// them. Nor would it with EINVAL, where it is for arguments that no file system sees.
bool IsOfProcess(int error, OperationKind kind) {
  switch (error) {
    case EINVAL:
      return kind != OperationKind::kRename && kind != OperationKind::kReadLink;
    case EXDEV:
    case EMLINK:
    case EFBIG:
    case ENOSPC:
    case EDQUOT:
    case EIO:
    case EOVERFLOW:
    case ENAMETOOLONG:
    case EPERM:
    case EACCES:
    case EINTR:
    case EAGAIN:
    case EBADF:
    case EFAULT:
    case EMFILE:
    case ENFILE:
    case ENOMEM:
    case ETXTBSY:
    case EBUSY:
    case ESPIPE:
    case ENOSYS:
    case EROFS:
    case ENOTTY:
    case ENXIO:
    case ENODEV:
    case EOPNOTSUPP:
      return true;
    default:
      return false;
  }
}

}  // namespace

Interpreter::Interpreter(NameSpace* space, OperationSink* sink, Conjurer* conjurer)
    : space_(*space), sink_(*sink), conjurer_(conjurer) {}

Interpreter::~Interpreter() { Finish(); }

void Interpreter::SetInitialDirectory(const std::string& path) { initial_directory_ = path; }

void Interpreter::Handle(const CallEvent& event) {
  thread_ = event.thread;
  line_ = event.line;
  if (event.kind == CallEvent::Kind::kExit) return End(event);
  const CallTable::Entry* entry = CallTable::Find(event.name);
  if (entry == nullptr) {
    if (event.kind != CallEvent::Kind::kCall) return;
    // strace prints the number of a call that is newer than itself. What did nothing is not missing.
    const bool is_unknown = event.name.starts_with("syscall_") && event.result.error == 0;
    ++(is_unknown ? counts_.unsupported[event.name] : counts_.other);
    return;
  }
  const bool is_new = !processes_.Has(event.thread);
  Task& task = processes_.Get(event.thread);
  if (is_new) task.directories->umask = initial_umask_;
  if (is_new && !initial_directory_.empty()) {
    const NodeNumber current = FindDirectory(initial_directory_, conjurer_);
    if (current != NodeNumber{}) task.directories->current = Use(current);
    task.directories->is_current_known = true;
  }
  Call call{.event = event, .arguments = SplitArguments(event.arguments), .task = task};
  if (entry->at_begin != nullptr && !event.has_begun) (this->*entry->at_begin)(call);
  if (event.kind == CallEvent::Kind::kBegin) return;
  if (entry->handler == nullptr) {
    ++counts_.unsupported[event.name];
  } else if (event.result.returned) {
    Do(call, entry->handler);
  } else {
    Skip("the call did not return");
  }
}

// What is outside only because its path is not known is counted by itself.
void Interpreter::Do(Call& call, Handler handler) {
  const uint64_t outside = counts_.outside;
  lost_ = {};
  (this->*handler)(call);
  if (lost_.empty()) return;
  counts_.outside = outside;
  ++counts_.unsupported[std::string(lost_)];
}

void Interpreter::Finish() {
  is_finishing_ = true;
  processes_.Clear();
}

Operation Interpreter::Start(const Call& call, OperationKind kind, const Subject& subject) const {
  Operation operation;
  operation.kind = kind;
  operation.place = subject.walk.place;
  const bool opens = kind == OperationKind::kOpen || kind == OperationKind::kCreate;
  if (subject.file != nullptr) (opens ? operation.to_file : operation.file) = subject.file->file;
  operation.expected_error = call.result().error;
  operation.time = call.event.time;
  return operation;
}

// Whether the name space (`predicted`: the errno that it expects) and the trace agree on how the call ends, so that the
// operation can be handed on. What agrees and failed is handed on here, and false returned: nothing is to be done then.
bool Interpreter::Agree(const Call& call, Operation* operation, int predicted) {
  const int traced = call.result().error;
  ++counts_.used;
  if (traced == 0 && predicted == 0) return true;
  if (traced != predicted) {
    if (traced != 0 && predicted == 0 && IsOfProcess(traced, operation->kind)) {
      Skip(fmt::format("{}: {}", NameOf(operation->kind), ErrnoName(traced)));
    } else {
      Conflict(call, fmt::format("{}: {} in the trace, {} by the name space", NameOf(operation->kind),
                                 ErrnoName(traced), ErrnoName(predicted)));
    }
    return false;
  }
  if (traced == ELOOP || traced == ENAMETOOLONG) {
    Skip(fmt::format("{}: {}", NameOf(operation->kind), ErrnoName(traced)));
    return false;
  }
  const bool is_by_file = operation->file != FileNumber{} || operation->to_file != FileNumber{};
  operation->is_probe = (traced == ENOENT || traced == ENOTDIR) && !is_by_file;
  // What is said of the root itself, of "." and "..", has no name to be tried with.
  const bool has_name = operation->place.parent != NodeNumber{} || is_by_file;
  const bool has_two = operation->kind == OperationKind::kLink || operation->kind == OperationKind::kRename;
  const bool has_other = !has_two || operation->is_probe || operation->to.parent != NodeNumber{};
  if (has_name && has_other) Emit(operation);
  return false;
}

void Interpreter::Conflict(const Call& call, std::string_view what) {
  ++counts_.conflicts[std::string(what)];
  if (counts_.samples.size() < kMostSamples) {
    constexpr size_t kShown = 200;
    counts_.samples.push_back(fmt::format("line {}: {}: {}({})", call.event.line, what, call.event.name,
                                          std::string_view(call.event.arguments).substr(0, kShown)));
  }
}

void Interpreter::Bind(NodeNumber node) {
  if (node == NodeNumber{} || !space_.Has(node)) return;
  const Node& known = space_.Get(node);
  if (known.is_bound || known.type != FileType::kDirectory || known.parent == NodeNumber{}) return;
  Bind({node, known.parent, known.name, {}});
}

void Interpreter::Bind(const Place& place) {
  Bind(place.parent);
  if (place.node == NodeNumber{} || !space_.Has(place.node)) return;
  Node& node = space_.Get(place.node);
  if (node.is_bound || place.parent == NodeNumber{}) return Bind(place.node);
  node.is_bound = true;
  Operation lookup;
  lookup.kind = OperationKind::kLookup;
  lookup.place = {place.node, place.parent, place.name, {}};
  lookup.type = node.type;
  HandOn(&lookup);
}

bool Interpreter::IsOutside(NodeNumber node) const {
  return node != NodeNumber{} && space_.Has(node) && space_.Get(node).is_outside;
}

bool Interpreter::IsRemovedDirectory(NodeNumber node) const {
  if (node == NodeNumber{} || !space_.Has(node)) return false;
  return space_.Get(node).type == FileType::kDirectory && space_.Get(node).names == 0;
}

// A directory that is removed while a process works in it, or has it open, is nothing that targets can be asked about:
// they have no name for it any more. What was opened before that is still to be closed, and to be forgotten.
bool Interpreter::IsLeftOut(const Operation& operation) {
  if (operation.kind == OperationKind::kForget) return false;
  if (operation.kind == OperationKind::kClose) return unopened_.erase(operation.file) > 0;
  const Place& place = operation.place;
  const Place& to = operation.to;
  const bool is_removed = IsRemovedDirectory(place.node) || IsRemovedDirectory(place.parent) ||
                          IsRemovedDirectory(to.node) || IsRemovedDirectory(to.parent);
  if (!is_removed) return false;
  Skip("a removed directory");
  const bool opens = operation.kind == OperationKind::kOpen && operation.expected_error == 0;
  if (opens) unopened_.insert(operation.file);
  return true;
}

void Interpreter::ShowNoDirectory(NodeNumber node) {
  if (node != NodeNumber{} && space_.Has(node)) space_.Get(node).type_guess = TypeGuess::kNoDirectory;
}

// Inference: what calls have done that no directory lets them do, and where they found that there is none.
void Interpreter::ShowNoDirectories(const Operation& operation) {
  const bool has_two = operation.kind == OperationKind::kLink || operation.kind == OperationKind::kRename;
  const bool is_none = operation.expected_error == ENOTDIR && (!has_two || !operation.place.rest.empty());
  if (is_none) return ShowNoDirectory(operation.place.node);
  if (operation.expected_error != 0) return;
  switch (operation.kind) {
    case OperationKind::kOpen:
      if ((operation.flags & (O_WRONLY | O_RDWR | O_CREAT | O_TRUNC)) != 0) ShowNoDirectory(operation.place.node);
      break;
    case OperationKind::kCopyRange:
      ShowNoDirectory(operation.to.node);
      [[fallthrough]];
    case OperationKind::kRead:
    case OperationKind::kWrite:
    case OperationKind::kAppend:
    case OperationKind::kAllocate:
    case OperationKind::kLink:
    case OperationKind::kUnlink:
      ShowNoDirectory(operation.place.node);
      break;
    default:
      break;
  }
}

// Says who does it, and where the trace says so.
void Interpreter::HandOn(Operation* operation) {
  if (conjurer_ != nullptr) ShowNoDirectories(*operation);
  if (IsLeftOut(*operation)) return;
  operation->thread = thread_;
  operation->line = line_;
  sink_.Perform(*operation);
}

void Interpreter::Emit(Operation* operation) {
  if (IsOutside(operation->place.node)) return;
  Bind(operation->place);
  Bind(operation->to);
  HandOn(operation);
}

}  // namespace betr::replay
