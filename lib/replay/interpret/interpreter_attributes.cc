// SPDX-License-Identifier: Apache-2.0
// Calls that look at attributes, symlinks, directories.
#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>

#include "replay/interpret/interpreter.h"

namespace betr::replay {
namespace {

// What a structure of stat or statx tells; nothing if it was not printed.
std::optional<FileAttributes> AttributesOf(std::string_view structure) {
  const bool is_statx = structure.find("stx_mode=") != std::string_view::npos;
  const std::optional<uint64_t> mode = ParseFlags(FindField(structure, is_statx ? "stx_mode" : "st_mode"));
  if (!mode.has_value()) return std::nullopt;
  const std::optional<FileType> type = TypeOfMode(static_cast<uint32_t>(*mode));
  if (!type.has_value()) return std::nullopt;
  FileAttributes attributes;
  attributes.type = *type;
  attributes.permissions = static_cast<uint32_t>(*mode) & 07777;
  const std::optional<int64_t> size = ParseNumber(FindField(structure, is_statx ? "stx_size" : "st_size"));
  attributes.size = static_cast<uint64_t>(size.value_or(-1));
  return attributes;
}

FollowLast FollowOf(uint64_t flags) { return (flags & AT_SYMLINK_NOFOLLOW) != 0 ? FollowLast::kNo : FollowLast::kYes; }

// A write by another than root takes set-id bits away; no call but a stat shows it.
bool IsLeftByWrite(uint32_t seen, const Node& node) {
  constexpr uint32_t kSetId = S_ISUID | S_ISGID;
  const bool has_lost_only = (seen & ~node.permissions) == 0 && (node.permissions & ~seen & ~kSetId) == 0;
  return node.type == FileType::kRegular && node.is_written && has_lost_only;
}

// What was made lacks those bits of the mode asked for that the umask takes away, or a default ACL; the first stat
// shows which, if the trace has not told of them.
bool IsAsMade(uint32_t seen, const Node& node) {
  return node.asked.has_value() && (seen & ~(*node.asked | S_ISGID)) == 0;
}

}  // namespace

// Takes over what is inferred so far and seen here.
void Interpreter::Learn(const FileAttributes& seen, NodeNumber number) {
  Node& node = space_.Get(number);
  if (!node.is_type_sure) {
    if (seen.type == FileType::kDirectory) space_.BecomeDirectory(number);
    node.type = seen.type;
    node.is_type_sure = true;
  }
  if (!node.is_mode_known) {
    node.permissions = seen.permissions;
    node.is_mode_known = true;
    if (!node.is_mode_changed) node.initial_permissions = seen.permissions;
  }
  if (seen.type == FileType::kSymlink && node.target.empty()) node.size = node.initial_size = seen.size;
  if (seen.type == FileType::kRegular) LearnSize(number, seen.size, true);
}

void Interpreter::ShowLink(NodeNumber number, const InitialLink& seen) {
  if (conjurer_ != nullptr && number != NodeNumber{}) conjurer_->SeeLink(space_, number, seen);
}

void Interpreter::ShowReplacedLink(NodeNumber number) {
  if (conjurer_ != nullptr && number != NodeNumber{}) conjurer_->SeeReplacedLink(space_, number);
}

void Interpreter::ShowNotEmpty(NodeNumber number) {
  if (conjurer_ == nullptr || number == NodeNumber{} || !IsDirectory(number, false)) return;
  if (space_.Get(number).children.empty()) conjurer_->SeeNotEmpty(number);
}

void Interpreter::ShowOlder(NodeNumber number) {
  if (conjurer_ != nullptr) conjurer_->SeeOlder(space_, number);
}

void Interpreter::LearnByStat(const Call& call, const FileAttributes& seen, Operation* stat) {
  Node& node = space_.Get(stat->place.node);
  const bool was_mode_known = node.is_mode_known;
  if (seen.type == FileType::kSymlink) ShowLink(stat->place.node, {.size = seen.size});
  Learn(seen, stat->place.node);
  if (!was_mode_known && conjurer_ == nullptr) CatchUpMode(*stat, node.permissions);
  const bool is_another = seen.permissions != node.permissions;
  if (is_another && (IsLeftByWrite(seen.permissions, node) || IsAsMade(seen.permissions, node))) {
    node.permissions = seen.permissions;
    CatchUpMode(*stat, seen.permissions);
  }
  node.asked.reset();
  if (seen.type != node.type) {
    Conflict(call, "stat: another type by the name space");
  } else if (seen.permissions != node.permissions) {
    ShowOlder(stat->place.node);
    Conflict(call, "stat: another mode by the name space");
  } else if (node.type == FileType::kRegular && seen.size != node.size) {
    if (seen.size > node.size) ShowOlder(stat->place.node);
    Conflict(call, "stat: another size by the name space");
  } else {
    stat->expected_attributes = seen;
  }
}

void Interpreter::Stat(Call& call, std::optional<Subject> subject, std::string_view structure, FollowLast follow) {
  if (!subject.has_value()) return;
  const bool is_access = call.event.name.find("access") != std::string::npos;
  const std::optional<FileAttributes> seen = AttributesOf(structure);
  if (call.result().ok()) ConjureMissing(call, &*subject, seen.has_value() ? seen->type : FileType::kRegular);
  Operation stat = Start(call, OperationKind::kStat, *subject);
  if (is_access) stat.variant = Variant::kExistence;
  if (!Agree(call, &stat, subject->MissingError())) return;
  const bool is_of_name = follow == FollowLast::kNo && seen.has_value() && stat.place.parent != NodeNumber{};
  if (is_of_name && seen->type != FileType::kSymlink && conjurer_ != nullptr) {
    conjurer_->SeeNoLink(space_, stat.place.node);
  }
  if (seen.has_value() && !is_access) LearnByStat(call, *seen, &stat);
  Emit(&stat);
}

// A mode that was set to a value which the trace did not tell shows now.
void Interpreter::CatchUpMode(const Operation& stat, uint32_t permissions) {
  Operation change = stat;
  change.kind = OperationKind::kChangeMode;
  change.mode = permissions;
  Emit(&change);
}

void Interpreter::StatPlain(Call& call) {
  Stat(call, Resolve(call, "", call.Argument(0), FollowLast::kYes), call.Argument(1), FollowLast::kYes);
}

void Interpreter::StatLink(Call& call) {
  Stat(call, Resolve(call, "", call.Argument(0), FollowLast::kNo), call.Argument(1), FollowLast::kNo);
}

void Interpreter::StatFile(Call& call) {
  Stat(call, ResolveDescriptor(call, call.Argument(0)), call.Argument(1), FollowLast::kYes);
}

void Interpreter::StatAt(Call& call) {
  const uint64_t flags = call.Flags(3);
  const FollowLast follow = FollowOf(flags);
  Stat(call, Resolve(call, call.Argument(0), call.Argument(1), follow, flags), call.Argument(2), follow);
}

void Interpreter::StatX(Call& call) {
  const uint64_t flags = call.Flags(2);
  const FollowLast follow = FollowOf(flags);
  Stat(call, Resolve(call, call.Argument(0), call.Argument(1), follow, flags), call.Argument(4), follow);
}

void Interpreter::Access(Call& call) {
  Stat(call, Resolve(call, "", call.Argument(0), FollowLast::kYes), "", FollowLast::kYes);
}

void Interpreter::AccessAt(Call& call) {
  const uint64_t flags = call.Flags(3);
  const FollowLast follow = FollowOf(flags);
  Stat(call, Resolve(call, call.Argument(0), call.Argument(1), follow, flags), "", follow);
}

// Where a symlink leads that was there before the trace; what -s has cut is made up.
void Interpreter::LearnTarget(const Call& call, std::string_view buffer, NodeNumber number) {
  Node& node = space_.Get(number);
  const TextArgument text = ParseText(buffer).value_or(TextArgument{});
  const auto size = static_cast<uint64_t>(call.result().value);
  if (node.type == FileType::kSymlink && node.target.empty()) {
    node.target = text.bytes;
    node.target.resize(size, 'x');
    node.size = node.initial_size = size;
  }
  InitialLink seen{.size = size};
  if (!text.is_cut && text.bytes.size() == size) seen.text = text.bytes;
  ShowLink(number, seen);
}

void Interpreter::ReadLinkOf(Call& call, std::optional<Subject> subject, std::string_view buffer, uint64_t size) {
  if (!subject.has_value()) return;
  if (call.result().value > int64_t{kLongestPath}) return Conflict(call, "readlink: longer than a target can be");
  if (call.result().ok()) ConjureMissing(call, &*subject, FileType::kSymlink);
  if (call.result().error == EINVAL) ConjureMissing(call, &*subject, FileType::kRegular);
  Operation read = Start(call, OperationKind::kReadLink, *subject);
  int predicted = subject->MissingError();
  if (conjurer_ != nullptr && predicted == 0 && call.result().ok()) LearnTarget(call, buffer, read.place.node);
  const bool is_no_link = predicted == 0 && call.result().error == EINVAL && read.place.parent != NodeNumber{};
  if (conjurer_ != nullptr && is_no_link) conjurer_->SeeNoLink(space_, read.place.node);
  if (predicted == 0 && space_.Get(read.place.node).type != FileType::kSymlink) predicted = EINVAL;
  if (!Agree(call, &read, predicted)) return;
  const auto count = static_cast<uint64_t>(call.result().value);
  const uint64_t here = std::min(space_.Get(read.place.node).size, size);
  if (count == here) {
    read.expected_count = count;
  } else {
    Conflict(call, "readlink: another length by the name space");
  }
  read.length = size;
  Emit(&read);
}

void Interpreter::ReadLink(Call& call) {
  ReadLinkOf(call, Resolve(call, "", call.Argument(0), FollowLast::kNo), call.Argument(1), call.Number(2));
}

void Interpreter::ReadLinkAt(Call& call) {
  const std::optional<Subject> subject =
      Resolve(call, call.Argument(0), call.Argument(1), FollowLast::kNo, AT_EMPTY_PATH);
  ReadLinkOf(call, subject, call.Argument(2), call.Number(3));
}

void Interpreter::StatFs(Call& call) {
  std::optional<Subject> subject = Resolve(call, "", call.Argument(0), FollowLast::kYes);
  if (!subject.has_value()) return;
  if (call.result().ok()) ConjureMissing(call, &*subject, FileType::kRegular);
  Operation stat = Start(call, OperationKind::kStatFs, *subject);
  if (Agree(call, &stat, subject->MissingError())) Emit(&stat);
}

void Interpreter::StatFsFile(Call& call) {
  const std::optional<Subject> subject = ResolveDescriptor(call, call.Argument(0));
  if (!subject.has_value()) return;
  Operation stat = Start(call, OperationKind::kStatFs, *subject);
  if (Agree(call, &stat, 0)) Emit(&stat);
}

// One reading of a directory is one operation, however many calls it took.
void Interpreter::List(Call& call) {
  const DescriptionPointer file = KnownFileOf(call, call.Argument(0));
  if (file == nullptr) return;
  const Node& node = space_.Get(file->node);
  Operation list = Start(call, OperationKind::kList, OfFile(file));
  int predicted = IsDirectory(file->node, call.result().ok()) || call.result().error == EBADF ? 0 : ENOTDIR;
  if (predicted == 0 && node.names == 0 && node.children.empty() && call.result().error == ENOENT) predicted = ENOENT;
  if (!Agree(call, &list, predicted) || file->has_listed) return;
  file->has_listed = true;
  Emit(&list);
}

}  // namespace betr::replay
