// SPDX-License-Identifier: Apache-2.0
// Calls that make and close descriptors.
#include <fcntl.h>
#include <linux/close_range.h>
#include <linux/openat2.h>

#include <cerrno>
#include <utility>

#include "replay/interpret/interpreter.h"

namespace betr::replay {
namespace {

bool Creates(uint64_t flags) { return (flags & O_CREAT) != 0; }
bool IsExclusive(uint64_t flags) { return Creates(flags) && (flags & O_EXCL) != 0; }
bool IsUnnamed(uint64_t flags) { return (flags & O_TMPFILE) == O_TMPFILE; }
bool IsForPath(uint64_t flags) { return (flags & O_PATH) != 0; }
bool Writes(uint64_t flags) { return (flags & O_ACCMODE) != O_RDONLY || (flags & O_TRUNC) != 0; }

// A name with a slash behind it: calls that would make it say EISDIR, whether it is there or not.
bool EndsInSlash(const WalkResult& walk) {
  const bool has_walked = walk.error == 0 || walk.error == ELOOP;
  return walk.wants_directory && (has_walked || (walk.error == ENOTDIR && walk.place.rest.empty()));
}

FollowLast FollowOf(uint64_t flags) {
  return (flags & O_NOFOLLOW) != 0 || IsExclusive(flags) ? FollowLast::kNo : FollowLast::kYes;
}

}  // namespace

DescriptionPointer Interpreter::Describe(NodeNumber node, uint64_t flags) {
  space_.AddUse(node);
  auto* description = new OpenDescription{.node = node, .file = {next_file_++}, .flags = static_cast<uint32_t>(flags)};
  return {description, [this](const OpenDescription* closed) {
            const OpenDescription last = *closed;
            delete closed;
            if (!is_finishing_ && !IsOutside(last.node)) {
              Operation close;
              close.kind = OperationKind::kClose;
              close.place.node = last.node;
              close.file = last.file;
              HandOn(&close);
            }
            space_.DropUse(last.node);
            Settle(last.node);
          }};
}

void Interpreter::Install(Call& call, int64_t number, DescriptionPointer description, bool is_closed_on_exec) {
  Displace(call, number);
  call.task.files->open.emplace(static_cast<int>(number), Descriptor{std::move(description), is_closed_on_exec});
}

// Takes away what had the number of a new descriptor. The trace has its close later, or not at all.
void Interpreter::Displace(Call& call, int64_t number) {
  DescriptorTable& files = *call.task.files;
  const auto key = static_cast<int>(number);
  const auto elsewhere = files.elsewhere.find(key);
  const bool was_elsewhere = elsewhere != files.elsewhere.end() && elsewhere->second;
  if (files.open.erase(key) > 0 || was_elsewhere) files.replaced[key] = call.event.thread;
  files.elsewhere.erase(key);
  files.processes.erase(key);
}

// Closes a descriptor. If another thread has got the number anew already, it is the old one that goes.
void Interpreter::Remove(Call& call, int64_t number) {
  DescriptorTable& files = *call.task.files;
  const auto key = static_cast<int>(number);
  const auto replaced = files.replaced.find(key);
  if (replaced != files.replaced.end()) {
    const bool is_old = replaced->second != call.event.thread;
    files.replaced.erase(replaced);
    if (is_old) return;
  }
  files.open.erase(key);
  files.elsewhere.erase(key);
  files.processes.erase(key);
}

// A new descriptor of something outside, or of no file.
void Interpreter::InstallElsewhere(Call& call, int64_t number) {
  Displace(call, number);
  call.task.files->elsewhere.insert_or_assign(static_cast<int>(number), true);
}

int Interpreter::PredictOpen(const Subject& subject, uint64_t flags) const {
  const WalkResult& walk = subject.walk;
  if (walk.error != 0) return walk.error;
  if (walk.place.node == NodeNumber{}) {
    if (!Creates(flags)) return ENOENT;
    return walk.wants_directory ? EISDIR : 0;
  }
  if (IsExclusive(flags)) return EEXIST;
  const Node& node = space_.Get(walk.place.node);
  const bool is_directory = node.type == FileType::kDirectory;
  if (node.type == FileType::kSymlink && !IsForPath(flags)) return (flags & O_DIRECTORY) != 0 ? ENOTDIR : ELOOP;
  if (!is_directory && (flags & O_DIRECTORY) != 0) return ENOTDIR;
  if (is_directory && !IsForPath(flags) && !IsUnnamed(flags) && (Writes(flags) || Creates(flags))) return EISDIR;
  return 0;
}

// What must have been there for an open to end like this; nothing if it does not tell.
std::optional<FileType> Interpreter::TypeShownByOpen(const CallResult& result, uint64_t flags) {
  if (result.ok()) {
    if (Creates(flags)) return std::nullopt;
    return (flags & O_DIRECTORY) != 0 ? FileType::kDirectory : FileType::kRegular;
  }
  switch (result.error) {
    case EEXIST:
    case ENOTDIR:
      return FileType::kRegular;
    case EISDIR:
      return FileType::kDirectory;
    case ELOOP:
      return (flags & O_NOFOLLOW) != 0 ? std::optional(FileType::kSymlink) : std::nullopt;
    default:
      return std::nullopt;
  }
}

void Interpreter::OpenExisting(Call& call, const Subject& subject, uint64_t flags, uint64_t mode) {
  const NodeNumber number = subject.walk.place.node;
  const bool is_unnamed = IsUnnamed(flags);
  Operation open = Start(call, is_unnamed ? OperationKind::kCreate : OperationKind::kOpen, subject);
  open.flags = static_cast<uint32_t>(flags);
  NodeNumber opened = number;
  if (is_unnamed) {
    open.variant = Variant::kUnnamed;
    open.mode = ModeOfMade(call, number, static_cast<uint32_t>(mode) & 07777);
    opened = space_.Make(FileType::kRegular, open.mode);
    space_.Get(opened).is_bound = true;
    NoteMade(number, opened, static_cast<uint32_t>(mode) & 07777);
    Bind(number);
    open.to = {number, {}, {}, {}};
    open.to_file = {};
    open.place = {opened, {}, {}, {}};
  }
  DescriptionPointer description = Describe(opened, flags);
  open.file = description->file;
  Node& node = space_.Get(opened);
  open.type = node.type;
  const bool truncates = (flags & O_TRUNC) != 0 && node.type == FileType::kRegular && !IsForPath(flags);
  if (truncates) {
    node.size = 0;
    node.is_size_sure = true;
    node.NoteWrite(0);
  }
  Emit(&open);
  Install(call, call.result().value, std::move(description), (flags & O_CLOEXEC) != 0);
}

void Interpreter::OpenNew(Call& call, const Subject& subject, uint64_t flags, uint64_t mode) {
  Operation create = Start(call, OperationKind::kCreate, subject);
  create.flags = static_cast<uint32_t>(flags);
  const uint32_t asked = static_cast<uint32_t>(mode) & 07777;
  create.mode = ModeOfMade(call, create.place.parent, asked);
  Bind(create.place.parent);
  create.place.node = space_.Make(FileType::kRegular, create.mode);
  space_.Get(create.place.node).is_bound = true;
  space_.AddName(create.place.parent, create.place.name, create.place.node);
  NoteMade(create.place.parent, create.place.node, asked);
  if (conjurer_ != nullptr) conjurer_->SeeMade(space_, create.place, IsExclusive(flags));
  ShowLinksByOpen(call, {.place = create.place, .untold = subject.walk.untold}, flags);
  DescriptionPointer description = Describe(create.place.node, flags);
  create.file = description->file;
  HandOn(&create);
  Install(call, call.result().value, std::move(description), (flags & O_CLOEXEC) != 0);
}

// A symlink outside may lead inside: what is opened shows it, if -y tells its path. From then on all paths that begin
// as this one are known.
void Interpreter::LearnAlias(std::string_view path, std::string_view meant) {
  constexpr size_t kMostAliases = 64;
  const bool is_of_process = path.starts_with("/proc/") || path.starts_with("/dev/");
  if (!path.starts_with('/') || is_of_process || aliases_.size() >= kMostAliases) return;
  while (true) {
    const size_t last = path.rfind('/');
    const size_t meant_last = meant.rfind('/');
    if (last == 0 || meant_last == 0 || path.substr(last) != meant.substr(meant_last)) break;
    path = path.substr(0, last);
    meant = meant.substr(0, meant_last);
  }
  aliases_.emplace_back(path, meant);
}

// As Resolve; what is outside by its path may be inside by what strace tells of the result.
std::optional<Interpreter::Subject> Interpreter::ResolveOpened(Call& call, std::string_view directory,
                                                               std::string_view path, uint64_t flags) {
  const uint64_t outside = counts_.outside;
  std::optional<Subject> subject = Resolve(call, directory, path, FollowOf(flags));
  if (subject.has_value() || counts_.outside == outside || !call.result().ok() || IsUnnamed(flags)) return subject;
  const std::optional<std::string> meant = AnnotatedPath(call.result().annotation);
  if (!meant.has_value()) return std::nullopt;
  Subject told;
  const std::optional<NodeNumber> root = std::exchange(call.root, space_.top());
  told.walk = WalkConjuring(call, space_.top(), *meant, FollowLast::kNo);
  call.root = root;
  if (told.walk.is_outside || IsOutside(told.walk.place.node)) return std::nullopt;
  --counts_.outside;
  lost_ = {};
  const std::optional<TextArgument> text = ParseText(path);
  if (text.has_value() && RootOf(call) == space_.top() && !call.task.directories->is_root_outside) {
    LearnAlias(text->bytes, *meant);
  }
  return told;
}

// What an open tells of symlinks that were taken for what they lead to: where -y says that its path leads, or that it
// must not follow one.
void Interpreter::ShowLinksByOpen(const Call& call, const WalkResult& walk, uint64_t flags) {
  const bool has_name = walk.error == 0 && walk.place.node != NodeNumber{} && walk.place.parent != NodeNumber{};
  if (conjurer_ == nullptr || !has_name) return;
  if ((flags & O_NOFOLLOW) != 0) {
    const bool is_no_directory = call.result().error == ENOTDIR && IsDirectory(walk.place.node, false);
    if (call.result().error == ELOOP || is_no_directory) return ShowLink(walk.place.node, {});
  }
  const bool is_elsewhere = call.task.directories->is_root_outside || RootOf(call) != space_.top();
  if (!call.result().ok() || IsUnnamed(flags) || is_elsewhere || walk.untold != NodeNumber{}) return;
  const std::optional<std::string> told = AnnotatedPath(call.result().annotation);
  if (told.has_value()) conjurer_->SeePath(space_, walk.place, *told);
}

void Interpreter::Open(Call& call, std::string_view directory, std::string_view path, uint64_t flags, uint64_t mode) {
  // Linux does not look at the others then.
  if (IsForPath(flags)) flags &= O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
  const bool is_done = call.result().ok();
  std::optional<Subject> subject = ResolveOpened(call, directory, path, flags);
  const bool is_known = subject.has_value();
  if (!is_known || (IsUnnamed(flags) && IsOutside(subject->walk.place.node))) {
    if (is_known) ++counts_.outside;
    if (is_done) InstallElsewhere(call, call.result().value);
    return;
  }
  // The slash decides, and an operation has none.
  if (Creates(flags) && EndsInSlash(subject->walk) && !is_done) return Skip("open: a slash behind a new name");
  const bool is_missing = subject->walk.error == 0 && subject->walk.place.node == NodeNumber{};
  if (const std::optional<FileType> type = TypeShownByOpen(call.result(), flags); type.has_value()) {
    ConjureMissing(call, &*subject, *type);
    if (subject->walk.place.node != NodeNumber{} && *type == FileType::kDirectory) {
      IsDirectory(subject->walk.place.node, true);
    }
  }
  ShowLinksByOpen(call, subject->walk, flags);
  if (call.result().error == EINVAL) return Skip("open: EINVAL");
  Operation operation =
      Start(call, Creates(flags) && is_missing ? OperationKind::kCreate : OperationKind::kOpen, *subject);
  operation.flags = static_cast<uint32_t>(flags);
  if (subject->walk.place.node != NodeNumber{}) {
    operation.type = space_.Get(subject->walk.place.node).type;
    if (IsExclusive(flags)) operation.kind = OperationKind::kCreate;
  }
  if (!Agree(call, &operation, PredictOpen(*subject, flags))) {
    if (is_done) InstallElsewhere(call, call.result().value);
    return;
  }
  if (subject->walk.place.node != NodeNumber{}) {
    OpenExisting(call, *subject, flags, mode);
  } else {
    OpenNew(call, *subject, flags, mode);
  }
}

void Interpreter::OpenOpen(Call& call) { Open(call, "", call.Argument(0), call.Flags(1), call.Flags(2)); }

void Interpreter::OpenAt(Call& call) { Open(call, call.Argument(0), call.Argument(1), call.Flags(2), call.Flags(3)); }

void Interpreter::OpenAt2(Call& call) {
  const std::string_view how = call.Argument(2);
  const auto field = [how](std::string_view name) { return ParseFlags(FindField(how, name)).value_or(0); };
  const uint64_t resolve = field("resolve");
  const int traced = call.result().error;
  const bool is_refused = traced == EXDEV || traced == ELOOP || traced == EAGAIN;
  if (resolve != 0 && is_refused) return Skip("openat2: what its way of resolving refuses");
  if ((resolve & RESOLVE_IN_ROOT) != 0) {
    call.root = BaseOf(call, call.Argument(0));
    if (!call.root.has_value()) {
      ++counts_.outside;
      if (call.result().ok()) InstallElsewhere(call, call.result().value);
      return;
    }
  }
  Open(call, call.Argument(0), call.Argument(1), field("flags"), field("mode"));
}

void Interpreter::Creat(Call& call) { Open(call, "", call.Argument(0), O_CREAT | O_WRONLY | O_TRUNC, call.Flags(1)); }

void Interpreter::Close(Call& call) {
  const std::optional<DescriptorArgument> descriptor = ParseDescriptor(call.Argument(0));
  if (descriptor.has_value() && descriptor->number >= 0) Remove(call, descriptor->number);
}

void Interpreter::CloseRange(Call& call) {
  if (call.event.kind == CallEvent::Kind::kCall && call.result().error != 0) return;
  const uint64_t first = call.Number(0);
  const uint64_t last = call.Number(1);
  const uint64_t flags = call.Flags(2);
  Task& task = call.task;
  if ((flags & CLOSE_RANGE_UNSHARE) != 0) {
    auto own = std::make_shared<DescriptorTable>();
    own->open = task.files->open;
    own->elsewhere = task.files->elsewhere;
    own->processes = task.files->processes;
    task.files = std::move(own);
  }
  const auto is_meant = [first, last](const auto& entry) {
    const auto number = static_cast<uint64_t>(entry.first);
    return number >= first && number <= last;
  };
  DescriptorTable& files = *task.files;
  if ((flags & CLOSE_RANGE_CLOEXEC) != 0) {
    for (auto& entry : files.open) {
      if (is_meant(entry)) entry.second.is_closed_on_exec = true;
    }
    return;
  }
  std::erase_if(files.open, is_meant);
  std::erase_if(files.elsewhere, is_meant);
  std::erase_if(files.processes, is_meant);
  std::erase_if(files.replaced, is_meant);
}

// Gives what `from` is another number. If nothing tells what it is, nothing tells what that is.
void Interpreter::Duplicate(Call& call, std::string_view from, int64_t number, bool is_closed_on_exec) {
  DescriptionPointer file = FileOf(call, from);
  if (file != nullptr) return Install(call, number, std::move(file), is_closed_on_exec);
  if (IsUntold(call, from)) return Displace(call, number);
  InstallElsewhere(call, number);
}

void Interpreter::Dup(Call& call) {
  if (call.result().ok()) Duplicate(call, call.Argument(0), call.result().value, false);
}

void Interpreter::DupOnto(Call& call) {
  if (!call.result().ok()) return;
  const std::optional<DescriptorArgument> from = ParseDescriptor(call.Argument(0));
  if (from.has_value() && from->number == call.result().value) return;
  // No close of it is to come.
  const auto number = static_cast<int>(call.result().value);
  call.task.files->open.erase(number);
  call.task.files->elsewhere.erase(number);
  Duplicate(call, call.Argument(0), call.result().value, (call.Flags(2) & O_CLOEXEC) != 0);
}

void Interpreter::SetClosedOnExec(Call& call, bool is_closed) {
  if (FileOf(call, call.Argument(0)) == nullptr) return;
  call.task.files->open.at(ParseDescriptor(call.Argument(0))->number).is_closed_on_exec = is_closed;
}

void Interpreter::Fcntl(Call& call) {
  if (!call.result().ok()) return;
  const uint64_t command = call.Flags(1);
  if (command == F_DUPFD || command == F_DUPFD_CLOEXEC) {
    return Duplicate(call, call.Argument(0), call.result().value, command == F_DUPFD_CLOEXEC);
  }
  if (command == F_SETFD) return SetClosedOnExec(call, (call.Flags(2) & FD_CLOEXEC) != 0);
  if (command != F_SETFL) return;
  if (const DescriptionPointer file = FileOf(call, call.Argument(0)); file != nullptr) {
    constexpr uint32_t kChanged = O_APPEND | O_NONBLOCK | O_DIRECT | O_NOATIME;
    uint32_t& flags = file->flags;
    flags = (flags & ~kChanged) | (static_cast<uint32_t>(call.Flags(2)) & kChanged);
  }
}

}  // namespace betr::replay
