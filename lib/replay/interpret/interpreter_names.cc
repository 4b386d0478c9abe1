// SPDX-License-Identifier: Apache-2.0
// Calls that make, remove and rename.
#include <fcntl.h>
#include <linux/fs.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <cerrno>

#include "replay/interpret/acl_mode.h"
#include "replay/interpret/interpreter.h"
#include "replay/trace/scan.h"

namespace betr::replay {
namespace {

// `makedev(0x1, 0x3)`, or a number.
uint64_t DeviceOf(std::string_view argument) {
  argument = FirstBeforeComment(argument);
  constexpr std::string_view kMake = "makedev(";
  if (!argument.starts_with(kMake)) return static_cast<uint64_t>(ParseNumber(argument).value_or(0));
  const std::vector<std::string_view> numbers =
      SplitArguments(argument.substr(kMake.size(), argument.find(')') - kMake.size()));
  if (numbers.size() != 2) return 0;
  return makedev(static_cast<unsigned>(ParseNumber(numbers[0]).value_or(0)),
                 static_cast<unsigned>(ParseNumber(numbers[1]).value_or(0)));
}

}  // namespace

// The permissions of what is made in a directory: what the umask leaves of those asked for, or its default ACL.
uint32_t Interpreter::ModeOfMade(const Call& call, NodeNumber parent, uint32_t asked) const {
  constexpr uint32_t kOthers = 07000;
  if (parent != NodeNumber{} && space_.Get(parent).default_acl != nullptr) {
    const std::optional<uint32_t> left = ModeOfAcl(*space_.Get(parent).default_acl, kOthers);
    if (left.has_value()) return asked & *left;
  }
  return asked & ~call.task.directories->umask;
}

void Interpreter::NoteMade(NodeNumber parent, NodeNumber made, uint32_t asked) {
  Node& node = space_.Get(made);
  node.asked = asked;
  const std::shared_ptr<const std::string>& acl = space_.Get(parent).default_acl;
  if (acl == nullptr) return;
  if (acl->empty()) node.is_mode_known = false;
  if (node.type == FileType::kDirectory) node.default_acl = acl;
}

// Gives what is made its number and its name. Requires: the name is free.
void Interpreter::Put(Operation* made) {
  Bind(made->place.parent);
  made->place.node = space_.Make(made->type, made->mode);
  Node& node = space_.Get(made->place.node);
  node.is_bound = true;
  node.device = made->device;
  node.target = made->text;
  node.size = made->text.size();
  space_.AddName(made->place.parent, made->place.name, made->place.node);
  if (conjurer_ != nullptr) conjurer_->SeeMade(space_, made->place, true);
  HandOn(made);
}

// Something has the name that was to be made, of any type. Who asks for a directory has most often made one before. A
// slash tells nothing: `mkdir file/`.
void Interpreter::ShowTaken(const Call& call, Subject* subject, bool is_for_directory) {
  subject->walk.wants_directory = false;
  ConjureMissing(call, subject, FileType::kRegular);
  const NodeNumber number = subject->walk.error == 0 ? subject->walk.place.node : NodeNumber{};
  if (!is_for_directory || number == NodeNumber{}) return;
  TypeGuess& guess = space_.Get(number).type_guess;
  if (guess == TypeGuess::kNone) guess = TypeGuess::kDirectory;
}

// mkdir, mknod, symlink: `made` has kind, type, target, and the mode that is asked for.
void Interpreter::Make(Call& call, std::string_view directory, std::string_view path, Operation made) {
  std::optional<Subject> subject = Resolve(call, directory, path, FollowLast::kNever);
  if (!subject.has_value()) return;
  const bool is_directory = made.kind == OperationKind::kMakeDirectory;
  if (call.result().error == EEXIST) ShowTaken(call, &*subject, is_directory);
  int predicted = subject->walk.error;
  if (predicted == 0 && subject->walk.place.node != NodeNumber{}) predicted = EEXIST;
  if (predicted == 0 && subject->walk.wants_directory && !is_directory) predicted = ENOENT;
  // `mkdir file/`.
  if (predicted == ENOTDIR && subject->walk.place.rest.empty()) predicted = EEXIST;
  made.place = subject->walk.place;
  made.expected_error = call.result().error;
  made.time = call.event.time;
  const uint32_t asked = made.mode;
  const bool has_mode = made.type != FileType::kSymlink;
  if (has_mode) made.mode = ModeOfMade(call, made.place.parent, asked);
  const uint32_t mode = made.mode;
  if (!Agree(call, &made, predicted)) return;
  const uint32_t inherited = space_.Get(made.place.parent).permissions & S_ISGID;
  Put(&made);
  space_.Get(made.place.node).permissions = mode | (is_directory ? inherited : 0);
  if (has_mode) NoteMade(made.place.parent, made.place.node, asked);
}

// The arguments from number `path` on: path, mode.
void Interpreter::MakeDirectoryIn(Call& call, std::string_view directory, size_t path) {
  Operation made;
  made.kind = OperationKind::kMakeDirectory;
  made.type = FileType::kDirectory;
  made.mode = static_cast<uint32_t>(call.Flags(path + 1)) & 01777;
  Make(call, directory, call.Argument(path), made);
}

void Interpreter::MakeDirectory(Call& call) { MakeDirectoryIn(call, "", 0); }

void Interpreter::MakeDirectoryAt(Call& call) { MakeDirectoryIn(call, call.Argument(0), 1); }

// The arguments from number `path` on: path, mode, device.
void Interpreter::MakeNodeIn(Call& call, std::string_view directory, size_t path) {
  Operation made;
  made.kind = OperationKind::kMakeNode;
  const auto mode = static_cast<uint32_t>(call.Flags(path + 1));
  made.type = TypeOfMode(mode).value_or(FileType::kRegular);
  made.mode = mode & 07777;
  if (IsDevice(made.type)) made.device = DeviceOf(call.Argument(path + 2));
  Make(call, directory, call.Argument(path), made);
}

void Interpreter::MakeNode(Call& call) { MakeNodeIn(call, "", 0); }

void Interpreter::MakeNodeAt(Call& call) { MakeNodeIn(call, call.Argument(0), 1); }

// A socket that is bound to a path appears there.
void Interpreter::BindSocket(Call& call) {
  const std::string_view path = FindField(call.Argument(1), "sun_path");
  if (!path.starts_with('"') || !call.result().ok()) {
    ++counts_.outside;
    return;
  }
  Operation made;
  made.kind = OperationKind::kMakeNode;
  made.type = FileType::kSocket;
  made.mode = 0777;
  Make(call, "", path, made);
}

// The target is the first argument in both forms.
void Interpreter::SymlinkIn(Call& call, std::string_view directory, size_t path) {
  Operation made;
  made.kind = OperationKind::kSymlink;
  made.type = FileType::kSymlink;
  made.mode = 0777;
  const TextArgument target = ParseText(call.Argument(0)).value_or(TextArgument{});
  const bool is_none =
      target.bytes.empty() || target.bytes.size() > kLongestPath || target.bytes.find('\0') != std::string::npos;
  if (is_none || (target.is_cut && !call.result().ok())) return Skip("symlink: a target that no call takes");
  made.text = target.bytes;
  Make(call, directory, call.Argument(path), made);
}

void Interpreter::SymlinkPlain(Call& call) { SymlinkIn(call, "", 1); }

void Interpreter::SymlinkAt(Call& call) { SymlinkIn(call, call.Argument(1), 2); }

// For calls with two paths: whether both lead to what is replayed. If not, it is one call that is outside, or one that
// brings in what is not known.
bool Interpreter::AreBothInside(const Call& call, const std::optional<Subject>& from, const std::optional<Subject>& to,
                                uint64_t outside_before) {
  if (from.has_value() && to.has_value()) return true;
  const bool is_outside = counts_.outside > outside_before;
  counts_.outside = outside_before + (is_outside ? 1 : 0);
  // What is lost may be inside, and is counted as that.
  if (from.has_value() || !to.has_value() || !is_outside || !call.result().ok() || !lost_.empty()) return false;
  counts_.outside = outside_before;
  const std::string_view kind = call.event.name.starts_with("link") ? "link" : "rename";
  ++counts_.unsupported[std::string(kind) + " from outside of the root"];
  return false;
}

void Interpreter::Link(Call& call, std::string_view from_directory, std::string_view from,
                       std::string_view to_directory, std::string_view to, uint64_t flags) {
  const FollowLast follow = (flags & AT_SYMLINK_FOLLOW) != 0 ? FollowLast::kYes : FollowLast::kNo;
  const bool is_done = call.result().ok();
  const uint64_t outside = counts_.outside;
  std::optional<Subject> source = Resolve(call, from_directory, from, follow, flags);
  if (source.has_value() && is_done) {
    ConjureMissing(call, &*source, FileType::kRegular);
    // Directories cannot be linked.
    const NodeNumber linked = source->walk.place.node;
    if (linked != NodeNumber{}) space_.Get(linked).is_type_sure = true;
    if (linked != NodeNumber{} && IsDirectory(linked, false)) ShowLink(linked, {});
  }
  const int traced = call.result().error;
  if (source.has_value() && traced == EPERM) ConjureMissing(call, &*source, FileType::kDirectory);
  if (source.has_value() && traced == EEXIST) ConjureMissing(call, &*source, FileType::kRegular);
  std::optional<Subject> made = Resolve(call, to_directory, to, FollowLast::kNever);
  if (!AreBothInside(call, source, made, outside)) return;
  if (traced == EEXIST) ConjureMissing(call, &*made, FileType::kRegular);
  // `link file other/`.
  if (made->walk.error == ENOTDIR && made->walk.place.rest.empty()) made->walk.error = 0;
  const bool is_slash_wrong =
      made->walk.error == 0 && made->walk.wants_directory && made->walk.place.node == NodeNumber{};
  Operation link = Start(call, OperationKind::kLink, *source);
  link.to = made->walk.place;
  int predicted = source->MissingError();
  if (predicted == 0) predicted = is_slash_wrong ? ENOENT : made->walk.error;
  if (predicted != 0 && source->MissingError() == 0) {
    link.place = made->walk.place;
    link.file = FileNumber{};
  }
  if (predicted == 0 && link.to.node != NodeNumber{}) predicted = EEXIST;
  if (predicted == 0 && space_.Get(link.place.node).type == FileType::kDirectory) predicted = EPERM;
  if (!Agree(call, &link, predicted)) return;
  Bind(link.place);
  Bind(link.to.parent);
  space_.AddName(link.to.parent, link.to.name, link.place.node);
  link.to.node = link.place.node;
  if (conjurer_ != nullptr) conjurer_->SeeMade(space_, link.to, true);
  HandOn(&link);
}

void Interpreter::LinkPlain(Call& call) { Link(call, "", call.Argument(0), "", call.Argument(1), 0); }

void Interpreter::LinkAt(Call& call) {
  Link(call, call.Argument(0), call.Argument(1), call.Argument(2), call.Argument(3), call.Flags(4));
}

void Interpreter::Unlink(Call& call, std::string_view directory, std::string_view path, bool is_directory) {
  std::optional<Subject> subject = Resolve(call, directory, path, FollowLast::kNever);
  if (!subject.has_value()) return;
  const int traced = call.result().error;
  const bool is_shown = traced == 0 || traced == ENOTEMPTY;
  if (is_shown) ConjureMissing(call, &*subject, is_directory ? FileType::kDirectory : FileType::kRegular);
  if (is_directory && traced == ENOTDIR) ConjureMissing(call, &*subject, FileType::kRegular);
  if (!is_directory && traced == EISDIR) ConjureMissing(call, &*subject, FileType::kDirectory);
  const WalkResult& walk = subject->walk;
  const bool is_found = walk.error == 0 && walk.place.node != NodeNumber{};
  if (is_found && walk.place.parent == NodeNumber{} && traced != 0) {
    // How it fails depends on how "." or ".." is spelt, and there is no name to try it with.
    ++counts_.used;
    return;
  }
  if (is_found && (is_directory ? is_shown : traced == EISDIR)) IsDirectory(walk.place.node, true);
  if (is_found && traced == ENOTEMPTY) ShowNotEmpty(walk.place.node);
  if (is_found && IsDirectory(walk.place.node, false)) {
    if (is_directory && traced == ENOTDIR) ShowLink(walk.place.node, {});
    if (!is_directory && traced == 0) ShowReplacedLink(walk.place.node);
  }
  Operation remove = Start(call, is_directory ? OperationKind::kRemoveDirectory : OperationKind::kUnlink, *subject);
  int predicted = subject->MissingError();
  if (predicted == 0) {
    const Node& node = space_.Get(remove.place.node);
    const bool was_directory = node.type == FileType::kDirectory;
    if (remove.place.parent == NodeNumber{}) predicted = EBUSY;
    if (is_directory && !was_directory) predicted = ENOTDIR;
    if (is_directory && !node.children.empty()) predicted = ENOTEMPTY;
    if (!is_directory && was_directory) predicted = EISDIR;
  }
  const bool is_refused_directory = predicted == ENOTDIR && remove.place.rest.empty() && subject->walk.error == 0;
  if (!is_refused_directory && !Agree(call, &remove, predicted)) return;
  if (is_refused_directory) {
    ++counts_.used;
    if (traced == ENOTDIR) Emit(&remove);
    return;
  }
  Bind(remove.place);
  HandOn(&remove);
  Settle(space_.RemoveName(remove.place.parent, remove.place.name));
}

void Interpreter::UnlinkPlain(Call& call) { Unlink(call, "", call.Argument(0), false); }

void Interpreter::RemoveDirectoryPlain(Call& call) { Unlink(call, "", call.Argument(0), true); }

void Interpreter::UnlinkAt(Call& call) {
  Unlink(call, call.Argument(0), call.Argument(1), (call.Flags(2) & AT_REMOVEDIR) != 0);
}

}  // namespace betr::replay
