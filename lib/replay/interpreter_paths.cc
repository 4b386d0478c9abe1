// SPDX-License-Identifier: Apache-2.0
// What paths and descriptors of a call mean.
#include <fcntl.h>

#include <cerrno>

#include "replay/interpreter.h"
#include "replay/scan.h"

namespace betr::replay {
namespace {

// The descriptor behind `/proc/self/fd/3` and its likes.
std::optional<std::string_view> DescriptorOfPath(std::string_view path) {
  for (const std::string_view prefix : {"/proc/self/fd/", "/proc/thread-self/fd/", "/dev/fd/"}) {
    if (!path.starts_with(prefix)) continue;
    const std::string_view number = path.substr(prefix.size());
    int value = 0;
    if (ParseDecimal(number, &value) && value >= 0) return number;
  }
  return std::nullopt;
}

}  // namespace

NodeUse Interpreter::Use(NodeNumber node) {
  space_.AddUse(node);
  return {new NodeNumber(node), [this](const NodeNumber* used) {
            const NodeNumber number = *used;
            delete used;
            --space_.Get(number).uses;
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
  return call.task.directories->root == nullptr ? space_.top() : *call.task.directories->root;
}

Interpreter::Subject Interpreter::OfFile(const DescriptionPointer& file) const {
  Subject subject;
  subject.file = file;
  subject.walk.place.node = file->node;
  return subject;
}

// A descriptor that the trace did not see made, but whose path -y tells: it was open before, or came through a socket.
DescriptionPointer Interpreter::Heal(Call& call, const DescriptorArgument& descriptor) {
  if (!descriptor.path.has_value() || descriptor.is_deleted) return nullptr;
  const WalkResult walk = WalkConjuring(call, space_.top(), *descriptor.path, FollowLast::kNo);
  if (walk.is_outside || walk.error != 0 || walk.place.node == NodeNumber{}) return nullptr;
  DescriptionPointer description = Describe(walk.place.node, O_RDWR);
  Operation open;
  open.kind = OperationKind::kOpen;
  open.place = walk.place;
  open.file = description->file;
  open.type = space_.Get(walk.place.node).type;
  open.flags = open.type == FileType::kRegular ? O_RDWR : O_RDONLY;
  Emit(&open);
  call.task.files->open[descriptor.number] = {description, false, call.event.thread};
  return description;
}

DescriptionPointer Interpreter::FileOf(Call& call, std::string_view descriptor) {
  const std::optional<DescriptorArgument> parsed = ParseDescriptor(descriptor);
  if (!parsed.has_value() || parsed->number < 0) return nullptr;
  const auto found = call.task.files->open.find(parsed->number);
  return found == call.task.files->open.end() ? Heal(call, *parsed) : found->second.description;
}

std::optional<Interpreter::Subject> Interpreter::ResolveDescriptor(Call& call, std::string_view descriptor) {
  const DescriptionPointer file = FileOf(call, descriptor);
  if (file == nullptr) {
    ++counts_.outside;
    return std::nullopt;
  }
  return OfFile(file);
}

// What -y tells of the working directory is believed: the call that went there may not be in the trace.
void Interpreter::Correct(const std::string& path, Directories* directories) {
  if (directories->current != nullptr && space_.PathOf(*directories->current) == path) return;
  const WalkResult walk = space_.Walk(space_.top(), space_.top(), path, FollowLast::kNo);
  if (walk.error != 0 || walk.is_outside || walk.place.node == NodeNumber{}) return;
  if (directories->current == nullptr || *directories->current != walk.place.node) {
    directories->current = Use(walk.place.node);
  }
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
  const WalkResult walk = space_.Walk(space_.top(), space_.top(), *parsed->path, FollowLast::kNo);
  if (walk.error != 0 || walk.place.node == NodeNumber{}) return std::nullopt;
  return walk.place.node;
}

WalkResult Interpreter::WalkConjuring(Call& call, NodeNumber base, const std::string& path, FollowLast follow) {
  while (true) {
    WalkResult walk = space_.Walk(base, RootOf(call), path, follow);
    if (conjurer_ == nullptr || walk.is_outside || walk.error != ENOENT || walk.place.parent == NodeNumber{})
      return walk;
    // The call succeeded, so the directory on the way was there; or there was something else in its place.
    const bool is_file = call.result().error == ENOTDIR;
    if (!call.result().ok() && !is_file) return walk;
    const FileType type = is_file ? FileType::kRegular : FileType::kDirectory;
    if (!conjurer_->Conjure(&space_, walk.place.parent, walk.place.name, type)) return walk;
  }
}

std::optional<Interpreter::Subject> Interpreter::ResolveText(Call& call, std::string_view directory,
                                                             const std::string& path, FollowLast follow) {
  const std::optional<DescriptorArgument> at = ParseDescriptor(directory);
  if (at.has_value() && at->number == kCurrentDirectory && at->path.has_value() && !at->is_deleted) {
    Correct(*at->path, call.task.directories.get());
  }
  if (const std::optional<std::string_view> number = DescriptorOfPath(path); number && follow == FollowLast::kYes) {
    return ResolveDescriptor(call, *number);
  }
  NodeNumber base = space_.top();
  if (!path.starts_with('/') && !path.empty()) {
    const std::optional<NodeNumber> known = BaseOf(call, directory);
    if (!known.has_value()) {
      ++counts_.outside;
      return std::nullopt;
    }
    base = *known;
  }
  if (path.empty() && !BaseOf(call, directory).has_value()) {
    ++counts_.outside;
    return std::nullopt;
  }
  Subject subject;
  subject.walk = WalkConjuring(call, base, path, follow);
  if (subject.walk.is_outside) {
    ++counts_.outside;
    return std::nullopt;
  }
  return subject;
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
  if (!text.has_value()) {
    ++counts_.outside;
    return std::nullopt;
  }
  if (text->is_cut || text->bytes.find('\0') != std::string::npos) {
    Skip("the path is cut");
    return std::nullopt;
  }
  return ResolveText(call, directory, text->bytes, follow);
}

}  // namespace betr::replay
