// SPDX-License-Identifier: Apache-2.0
// What paths and descriptors of a call mean.
#include <fcntl.h>

#include <cerrno>
#include <utility>

#include "replay/interpret/interpreter.h"

namespace betr::replay {
namespace {

constexpr std::string_view kUntoldDirectory = "a relative path, and the working directory is not known (--cwd)";
constexpr std::string_view kUnprintedPath = "a path that strace has not printed";

}  // namespace

NodeUse Interpreter::Use(NodeNumber node) {
  space_.AddUse(node);
  return {new NodeNumber(node), [this](const NodeNumber* used) {
            const NodeNumber number = *used;
            delete used;
            space_.DropUse(number);
            Settle(number);
          }};
}

// Forgets a node that has neither names nor uses.
void Interpreter::Settle(NodeNumber node) {
  const bool is_bound = space_.Get(node).is_bound;
  if (!space_.Reap(node) || !is_bound || is_finishing_) return;
  Operation forget;
  forget.kind = OperationKind::kForget;
  forget.place.node = node;
  HandOn(&forget);
}

NodeNumber Interpreter::RootOf(const Call& call) const {
  if (call.root.has_value()) return *call.root;
  return call.task.directories->root == nullptr ? space_.top() : *call.task.directories->root;
}

Interpreter::Subject Interpreter::OfFile(const DescriptionPointer& file) const {
  Subject subject;
  subject.file = file;
  subject.walk.place.node = file->node;
  return subject;
}

// A descriptor that the trace did not see made, but whose path -y tells: it was open before, or came through a socket.
// If it was inherited, it is that of all threads of the ancestry.
DescriptionPointer Interpreter::Heal(Call& call, const DescriptorArgument& descriptor) {
  if (!descriptor.path.has_value() || descriptor.is_deleted) return nullptr;
  const std::optional<NodeNumber> root = std::exchange(call.root, space_.top());
  Subject subject;
  subject.walk = WalkConjuring(call, space_.top(), *descriptor.path, FollowLast::kNo);
  call.root = root;
  if (!subject.walk.is_outside && call.result().ok()) ConjureMissing(call, &subject, FileType::kRegular);
  const WalkResult& walk = subject.walk;
  if (walk.is_outside || walk.error != 0 || walk.place.node == NodeNumber{}) return nullptr;
  InheritedFiles& inherited = *call.task.inherited;
  const auto known = inherited.find(descriptor.number);
  if (known != inherited.end() && known->second->node == walk.place.node) {
    call.task.files->open[descriptor.number] = {known->second, false};
    return known->second;
  }
  DescriptionPointer description = Describe(walk.place.node, O_RDWR);
  description->is_position_known = false;
  inherited.emplace(descriptor.number, description);
  Operation open;
  open.kind = OperationKind::kOpen;
  open.place = walk.place;
  open.file = description->file;
  open.type = space_.Get(walk.place.node).type;
  open.flags = open.type == FileType::kRegular ? O_RDWR : O_RDONLY;
  Emit(&open);
  call.task.files->open[descriptor.number] = {description, false};
  return description;
}

DescriptionPointer Interpreter::FileOf(Call& call, std::string_view descriptor) {
  const std::optional<DescriptorArgument> parsed = ParseDescriptor(descriptor);
  if (!parsed.has_value() || parsed->number < 0) return nullptr;
  const auto found = call.task.files->open.find(parsed->number);
  return found == call.task.files->open.end() ? Heal(call, *parsed) : found->second.description;
}

std::optional<Interpreter::Subject> Interpreter::Outside() {
  ++counts_.outside;
  return std::nullopt;
}

// As Outside, but because the trace does not say enough: it may be inside.
std::optional<Interpreter::Subject> Interpreter::Lost(std::string_view what) {
  lost_ = what;
  return Outside();
}

std::optional<Interpreter::Subject> Interpreter::ResolveDescriptor(Call& call, std::string_view descriptor) {
  const DescriptionPointer file = FileOf(call, descriptor);
  return file == nullptr ? NoFile(call, descriptor) : OfFile(file);
}

// Whether it is one. What was only taken for a file becomes one if a call shows it.
bool Interpreter::IsDirectory(NodeNumber node, bool is_shown) {
  const bool is_open = conjurer_ != nullptr && is_shown && !space_.Get(node).is_type_sure;
  if (is_open && space_.Get(node).type == FileType::kRegular) space_.BecomeDirectory(node);
  return space_.Get(node).type == FileType::kDirectory;
}

// The directory of a path that no program has said, but -y or a user: it was there before the trace if nothing tells
// otherwise. 0 if it cannot be.
NodeNumber Interpreter::FindDirectory(const std::string& path, Conjurer* conjurer) {
  while (true) {
    const WalkResult walk = space_.Walk(space_.top(), space_.top(), path, FollowLast::kYes);
    const Place& place = walk.place;
    if (walk.is_outside) return {};
    if (place.node != NodeNumber{}) {
      if (!IsDirectory(place.node, conjurer != nullptr)) return {};
      if (walk.error == 0) return place.node;
      continue;
    }
    if (conjurer == nullptr || place.parent == NodeNumber{}) return {};
    if (!conjurer->Conjure(&space_, place.parent, place.name, FileType::kDirectory)) return {};
  }
}

// What -y tells of the working directory is believed: the call that went there may not be in the trace.
void Interpreter::Correct(const std::string& path, Directories* directories) {
  if (directories->current != nullptr && space_.PathOf(*directories->current) == path) return;
  const bool is_first = directories->current == nullptr && !directories->is_current_known;
  const NodeNumber found = FindDirectory(path, is_first ? conjurer_ : nullptr);
  if (found == NodeNumber{}) return;
  if (directories->current == nullptr || *directories->current != found) directories->current = Use(found);
  directories->is_current_known = true;
}

std::optional<NodeNumber> Interpreter::BaseOf(Call& call, std::string_view directory) {
  std::optional<DescriptorArgument> parsed;
  if (!directory.empty()) parsed = ParseDescriptor(directory);
  if (parsed.has_value() && parsed->number != kCurrentDirectory) {
    const DescriptionPointer file = FileOf(call, directory);
    if (file != nullptr) return file->node;
  } else {
    const Directories& directories = *call.task.directories;
    if (directories.current != nullptr) return *directories.current;
    if (directories.is_current_known) return std::nullopt;
  }
  if (!parsed.has_value() || !parsed->path.has_value() || parsed->is_deleted) return std::nullopt;
  const NodeNumber found = FindDirectory(*parsed->path, conjurer_);
  return found == NodeNumber{} ? std::nullopt : std::optional(found);
}

// Whether nothing tells where a relative path begins.
bool Interpreter::IsBaseUntold(const Call& call, std::string_view directory) const {
  const Directories& directories = *call.task.directories;
  if (directories.current != nullptr || directories.is_current_known) return false;
  const std::optional<DescriptorArgument> at = ParseDescriptor(directory);
  return directory.empty() || (at.has_value() && at->number == kCurrentDirectory && !at->path.has_value());
}

// Whether a call shows that the directories of its paths were there: it has succeeded, or failed in a way that only
// what is there can make it fail.
bool Interpreter::IsFound(const CallEvent& event) {
  const auto is_of = [&](std::string_view name) { return event.name.find(name) != std::string::npos; };
  switch (event.result.error) {
    case 0:
      return event.result.ok();
    case EEXIST:
    case EISDIR:
    case ENOTEMPTY:
    case ENODATA:
    case ERANGE:
      return true;
    case EINVAL:
      return is_of("readlink") || is_of("rename");
    case EPERM:
      return event.name.starts_with("link");
    default:
      return false;
  }
}

// Makes what a call shows to have been on the way to what it is about; true if the walk may now lead further.
bool Interpreter::ConjureOnTheWay(const Call& call, const WalkResult& walk) {
  const int traced = call.result().error;
  // Then an error may be about the other path.
  const bool has_two = call.event.name.starts_with("rename") || call.event.name.starts_with("link");
  if (walk.error == ENOTDIR) {
    // Also that nothing is there, or something else is, shows that there is a directory before it.
    const bool looked_behind = traced == ENOENT || traced == EEXIST || traced == EISDIR || traced == ENOTEMPTY;
    const bool is_shown = call.result().ok() || (looked_behind && !has_two && !walk.place.rest.empty());
    return is_shown && IsDirectory(walk.place.node, true);
  }
  if (walk.error != ENOENT || walk.place.parent == NodeNumber{}) return false;
  // So the directory on the way was there; or there was something else in its place.
  if (!IsFound(call.event) && (traced != ENOTDIR || has_two)) return false;
  const FileType type = traced == ENOTDIR ? FileType::kRegular : FileType::kDirectory;
  return conjurer_->Conjure(&space_, walk.place.parent, walk.place.name, type);
}

// What a call shows to be there, though the name space has it not, was there before the trace.
void Interpreter::ConjureMissing(const Call& call, Subject* subject, FileType type) {
  WalkResult& walk = subject->walk;
  if (conjurer_ == nullptr || walk.error != 0 || walk.place.node != NodeNumber{}) return;
  if (walk.place.parent == NodeNumber{}) return;
  if (walk.wants_directory && call.result().error != ENOTDIR) type = FileType::kDirectory;
  if (!conjurer_->Conjure(&space_, walk.place.parent, walk.place.name, type)) return;
  walk.place.node = space_.Get(walk.place.parent).children.at(walk.place.name);
  if (walk.wants_directory && type != FileType::kDirectory) walk.error = ENOTDIR;
}

WalkResult Interpreter::WalkConjuring(Call& call, NodeNumber base, const std::string& path, FollowLast follow) {
  while (true) {
    WalkResult walk;
    if (!path.empty() && !path.starts_with('/') && !IsDirectory(base, false)) {
      walk.place = {base, {}, {}, path};
      walk.error = ENOTDIR;
    } else {
      walk = space_.Walk(base, RootOf(call), path, follow);
      if (walk.untold != NodeNumber{} && conjurer_ != nullptr) conjurer_->SeeFollowed(space_, walk.untold);
      const bool is_found = walk.error == 0 && walk.place.node != NodeNumber{};
      if (is_found && walk.wants_directory && !IsDirectory(walk.place.node, false)) walk.error = ENOTDIR;
    }
    if (conjurer_ == nullptr || walk.is_outside || !ConjureOnTheWay(call, walk)) return walk;
  }
}

std::optional<std::string> Interpreter::WithoutAlias(const std::string& path) const {
  for (const auto& [alias, meant] : aliases_) {
    if (!path.starts_with(alias)) continue;
    if (path.size() == alias.size() || path[alias.size()] == '/') return meant + path.substr(alias.size());
  }
  return std::nullopt;
}

std::optional<Interpreter::Subject> Interpreter::ResolveOfProcess(Call& call, const ProcessPath& path,
                                                                  FollowLast follow) {
  const ThreadNumber thread = path.thread.value_or(call.event.thread);
  if (!processes_.Has(thread)) return Outside();
  const Task& task = processes_.Get(thread);
  NodeNumber base = space_.top();
  if (path.kind == ProcessPath::Kind::kDescriptor) {
    const auto found = task.files->open.find(path.descriptor);
    if (found == task.files->open.end()) return Outside();
    if (path.rest.empty()) return OfFile(found->second.description);
    base = found->second.description->node;
  } else {
    const Directories& directories = *task.directories;
    const bool is_root = path.kind == ProcessPath::Kind::kRoot;
    if (!is_root && directories.current == nullptr) {
      return directories.is_current_known ? Outside() : Lost(kUntoldDirectory);
    }
    if (is_root && directories.is_root_outside) return Outside();
    const NodeUse& used = is_root ? directories.root : directories.current;
    if (used != nullptr) base = *used;
  }
  Subject subject;
  subject.walk = WalkConjuring(call, base, path.rest.empty() ? "." : path.rest, follow);
  return subject.walk.is_outside ? Outside() : std::optional(subject);
}

std::optional<Interpreter::Subject> Interpreter::ResolveText(Call& call, std::string_view directory,
                                                             const std::string& path, FollowLast follow) {
  const std::optional<DescriptorArgument> at = ParseDescriptor(directory);
  if (at.has_value() && at->number == kCurrentDirectory && at->path.has_value() && !at->is_deleted) {
    Correct(*at->path, call.task.directories.get());
  }
  const std::optional<ProcessPath> of_process = ParseProcessPath(path);
  if (of_process.has_value() && (!of_process->rest.empty() || follow == FollowLast::kYes)) {
    return ResolveOfProcess(call, *of_process, follow);
  }
  NodeNumber base = space_.top();
  if (path.starts_with('/')) {
    if (call.task.directories->is_root_outside && !call.root.has_value()) return Outside();
  } else {
    const std::optional<NodeNumber> known = BaseOf(call, directory);
    if (!known.has_value()) return IsBaseUntold(call, directory) ? Lost(kUntoldDirectory) : NoFile(call, directory);
    base = *known;
  }
  Subject subject;
  subject.walk = WalkConjuring(call, base, path, follow);
  if (subject.walk.is_outside && RootOf(call) == space_.top()) {
    if (const std::optional<std::string> meant = WithoutAlias(path)) {
      subject.walk = WalkConjuring(call, space_.top(), *meant, follow);
    }
  }
  return subject.walk.is_outside ? Outside() : std::optional(subject);
}

std::optional<Interpreter::Subject> Interpreter::Resolve(Call& call, std::string_view directory, std::string_view path,
                                                         FollowLast follow, uint64_t flags) {
  const std::optional<TextArgument> text = ParseText(path);
  const bool is_empty = text.has_value() ? text->bytes.empty() : path == "NULL";
  if (is_empty && ((flags & AT_EMPTY_PATH) != 0 || path == "NULL") && !directory.empty()) {
    const std::optional<DescriptorArgument> descriptor = ParseDescriptor(directory);
    if (descriptor.has_value() && descriptor->number != kCurrentDirectory) return ResolveDescriptor(call, directory);
    return ResolveText(call, directory, ".", follow);
  }
  // strace prints an address also where the kernel could not read there; NULL is no path.
  if (!text.has_value()) return path == "NULL" || call.result().error == EFAULT ? Outside() : Lost(kUnprintedPath);
  if (text->is_cut || text->bytes.find('\0') != std::string::npos) {
    Skip("the path is cut");
    return std::nullopt;
  }
  return ResolveText(call, directory, text->bytes, follow);
}

}  // namespace betr::replay
