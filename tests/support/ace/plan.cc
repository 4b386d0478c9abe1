// SPDX-License-Identifier: Apache-2.0
#include "support/ace/plan.h"

#include <string>
#include <utility>

#include "base/check.h"
#include "support/ace/model.h"

namespace betr::ace {
namespace {

constexpr uint64_t kInitialSize = 32 << 10;
constexpr uint64_t kOverlap = 5000;
constexpr uint64_t kBeforeEnd = 2000;
constexpr uint64_t kFirst = 8 << 10;
constexpr uint64_t kBehindEnd = 40'000;

struct FileRange {
  uint64_t offset = 0;
  uint64_t length = 0;
};

FileRange RangeOf(Part part, uint64_t size) {
  switch (part) {
    case Part::kNone:
      return {0, size};
    case Part::kAppend:
      return {size, kInitialSize};
    case Part::kOverlapStart:
      return {0, kOverlap};
    case Part::kOverlapExtend:
      return {size - std::min(size, kBeforeEnd), kOverlap};
    case Part::kFirst8K:
      return {0, kFirst};
    case Part::kSparse:
      return {size + kBehindEnd, kOverlap};
    case Part::kMiddle:
      break;
  }
  return {std::min(size / 4, kOverlap), std::min<uint64_t>(size / 2, 12'000)};
}

// By their names, which never change: directories have capital letters.
bool IsDirectoryName(const std::string& path) {
  const char first = path.empty() ? 'A' : path[path.rfind('/') + 1];
  return first >= 'A' && first <= 'Z';
}

class Planner {
 public:
  void Add(const Step& step) {
    AddOperation(*step.operation);
    if (step.operation->verb == Verb::kMapWrite) {
      Do({.kind = Call::Kind::kSync, .path = step.operation->path});
    } else if (step.persistence.kind != Persistence::Kind::kNone) {
      Need(step.persistence.path);
      Do({.kind = Call::Kind::kSync, .path = step.persistence.path});
    }
  }

  std::vector<Call> Take() { return std::move(calls_); }

 private:
  void Do(Call call) {
    call.seed = calls_.size() + 1;
    for (const Call& step : StepsOf(call, UINT64_MAX)) model_.Apply(step, FileTime{}, 0);
    calls_.push_back(std::move(call));
  }

  void NeedParent(const std::string& path) {
    if (const size_t slash = path.rfind('/'); slash != std::string::npos) Need(path.substr(0, slash));
  }

  // There is a file or directory with this name, of the type that the name stands for.
  void Need(const std::string& path) {
    const FileType type = IsDirectoryName(path) ? FileType::kDirectory : FileType::kRegular;
    NeedParent(path);
    const Node* node = model_.Find(path);
    if (node != nullptr && node->type != type) {
      Remove(path);
      node = nullptr;
    }
    if (node == nullptr) {
      Do({.kind = type == FileType::kDirectory ? Call::Kind::kMakeDirectory : Call::Kind::kCreate, .path = path});
    }
  }

  void NeedContent(const std::string& path) {
    Need(path);
    if (model_.Find(path)->Size() == 0) Do({.kind = Call::Kind::kWrite, .path = path, .length = kInitialSize});
  }

  // There is nothing with this name, but a directory to put it in.
  void NeedFree(const std::string& path) {
    NeedParent(path);
    if (model_.Find(path) != nullptr) Remove(path);
  }

  void Empty(const std::string& path) {
    const Node* node = model_.Find(path);
    if (node == nullptr || node->type != FileType::kDirectory) return;
    const std::map<std::string, uint64_t> entries = node->entries;
    for (const auto& [name, id] : entries) Remove(path + "/" + name);
  }

  void Remove(const std::string& path) {
    Empty(path);
    const bool is_directory = model_.Find(path)->type == FileType::kDirectory;
    Do({.kind = is_directory ? Call::Kind::kRemoveDirectory : Call::Kind::kUnlink, .path = path});
  }

  void AddOperation(const Operation& operation);
  void AddNamed(const Operation& operation);
  void AddPair(const Operation& operation, Call::Kind kind);
  void AddRename(const Operation& operation);
  void AddContent(const Operation& operation);
  void AddXattr(const Operation& operation);

  Model model_{FileTime{}};
  std::vector<Call> calls_;
};

void Planner::AddOperation(const Operation& operation) {
  switch (operation.verb) {
    case Verb::kAllocate:
    case Verb::kWrite:
    case Verb::kMapWrite:
    case Verb::kTruncate:
    case Verb::kCopyRange:
      return AddContent(operation);
    case Verb::kSetXattr:
    case Verb::kRemoveXattr:
      return AddXattr(operation);
    case Verb::kLink:
      return AddPair(operation, Call::Kind::kLink);
    case Verb::kClone:
      return AddPair(operation, Call::Kind::kClone);
    case Verb::kRename:
    case Verb::kReplace:
    case Verb::kLeave:
      return AddRename(operation);
    default:
      return AddNamed(operation);
  }
}

void Planner::AddContent(const Operation& operation) {
  constexpr std::pair<Verb, Call::Kind> kKinds[] = {{Verb::kAllocate, Call::Kind::kAllocate},
                                                    {Verb::kTruncate, Call::Kind::kTruncate},
                                                    {Verb::kCopyRange, Call::Kind::kCopyRange}};
  NeedContent(operation.path);
  if (!operation.other.empty()) {
    Need(operation.other);
    if (model_.Find(operation.other) == model_.Find(operation.path)) {  // links of one file
      Remove(operation.other);
      Need(operation.other);
    }
  }
  Call call{.kind = Call::Kind::kWrite, .path = operation.path, .other = operation.other, .mode = operation.mode};
  for (const auto& [verb, kind] : kKinds) call.kind = verb == operation.verb ? kind : call.kind;
  const FileRange range = RangeOf(operation.part, model_.Find(operation.path)->Size());
  call.offset = range.offset;
  call.length = range.length;
  if (operation.verb == Verb::kTruncate) {
    call.offset = 0;
    call.length = operation.size;
  }
  Do(std::move(call));
}

void Planner::AddXattr(const Operation& operation) {
  const bool sets = operation.verb == Verb::kSetXattr;
  Need(operation.path);
  if (!sets && model_.Find(operation.path)->xattrs.empty()) {
    Do({.kind = Call::Kind::kSetXattr, .path = operation.path, .length = 10});
  }
  Do({.kind = sets ? Call::Kind::kSetXattr : Call::Kind::kRemoveXattr,
      .path = operation.path,
      .length = operation.size});
}

void Planner::AddPair(const Operation& operation, Call::Kind kind) {
  NeedFree(operation.other);
  Need(operation.path);
  if (kind == Call::Kind::kClone && IsDirectoryName(operation.path)) {
    NeedContent(operation.path.empty() ? "foo" : operation.path + "/foo");
  } else if (kind == Call::Kind::kClone) {
    NeedContent(operation.path);
  }
  // What was made may be what must not be there.
  NeedFree(operation.other);
  Do({.kind = kind, .path = operation.path, .other = operation.other});
}

void Planner::AddRename(const Operation& operation) {
  NeedParent(operation.other);
  if (operation.verb == Verb::kReplace) Need(operation.other);
  Empty(operation.other);
  Need(operation.path);
  if (const Node* target = model_.Find(operation.other); target != nullptr) {
    const bool is_directory = target->type == FileType::kDirectory;
    const bool moves_directory = model_.Find(operation.path)->type == FileType::kDirectory;
    const bool does_nothing = target == model_.Find(operation.path) && operation.verb == Verb::kLeave;
    if (is_directory != moves_directory || does_nothing) Remove(operation.other);
  }
  const Call::Kind kind = operation.verb == Verb::kLeave ? Call::Kind::kLeave : Call::Kind::kRename;
  Do({.kind = kind, .path = operation.path, .other = operation.other});
}

void Planner::AddNamed(const Operation& operation) {
  const std::string& path = operation.path;
  switch (operation.verb) {
    case Verb::kCreate:
      NeedFree(path);
      return Do({.kind = Call::Kind::kCreate, .path = path});
    case Verb::kMakeDirectory:
      NeedFree(path);
      return Do({.kind = Call::Kind::kMakeDirectory, .path = path});
    case Verb::kMakeFifo:
      NeedFree(path);
      return Do({.kind = Call::Kind::kMakeFifo, .path = path});
    case Verb::kSymlink:
      NeedFree(operation.other);
      return Do({.kind = Call::Kind::kMakeSymlink, .path = path, .other = operation.other});
    case Verb::kRemoveDirectory:
      Need(path);
      Empty(path);
      return Do({.kind = Call::Kind::kRemoveDirectory, .path = path});
    case Verb::kRemoveTree:
      Need(path);
      Need(path + "/foo");
      return Do({.kind = Call::Kind::kRemoveTree, .path = path});
    case Verb::kExchange:
      Need(path);
      Need(operation.other);
      return Do({.kind = Call::Kind::kExchange, .path = path, .other = operation.other});
    case Verb::kOrphan:
      NeedContent(path);
      Do({.kind = Call::Kind::kOpen, .path = path});
      return Do({.kind = Call::Kind::kUnlink, .path = path});
    case Verb::kUnlink:
      Need(path);
      return Do({.kind = Call::Kind::kUnlink, .path = path});
    default:
      break;
  }
  constexpr std::pair<Verb, Call::Kind> kKinds[] = {{Verb::kSetMode, Call::Kind::kSetMode},
                                                    {Verb::kSetOwner, Call::Kind::kSetOwner},
                                                    {Verb::kSetTimes, Call::Kind::kSetTimes},
                                                    {Verb::kUnnamed, Call::Kind::kUnnamed}};
  Need(path);
  for (const auto& [verb, kind] : kKinds) {
    if (verb == operation.verb) return Do({.kind = kind, .path = path});
  }
  Check(false, "every operation has its calls");
}

}  // namespace

std::vector<Call> PlanCalls(const Workload& workload) {
  Planner planner;
  for (const Step& step : workload) planner.Add(step);
  return planner.Take();
}

}  // namespace betr::ace
