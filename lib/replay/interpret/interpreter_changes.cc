// SPDX-License-Identifier: Apache-2.0
// Calls that change modes, owners and times.
#include <fcntl.h>
#include <sys/stat.h>

#include "replay/interpret/interpreter.h"

namespace betr::replay {
namespace {

FollowLast FollowOf(uint64_t flags) { return (flags & AT_SYMLINK_NOFOLLOW) != 0 ? FollowLast::kNo : FollowLast::kYes; }

// `{tv_sec=1, tv_nsec=2}`, `{tv_sec=1, tv_usec=2}`, UTIME_NOW, UTIME_OMIT.
TimeChange TimeOf(std::string_view text) {
  if (text.starts_with("UTIME_OMIT")) return {};
  const std::optional<int64_t> seconds = ParseNumber(FindField(text, "tv_sec"));
  if (!seconds.has_value()) return {.kind = TimeChange::Kind::kNow};
  const std::string_view nanoseconds = FindField(text, "tv_nsec");
  const std::optional<uint64_t> flags = ParseFlags(nanoseconds);
  if (flags == UTIME_OMIT) return {};
  if (flags == UTIME_NOW) return {.kind = TimeChange::Kind::kNow};
  uint64_t fraction = flags.value_or(0);
  if (nanoseconds.empty()) fraction = 1000 * static_cast<uint64_t>(ParseNumber(FindField(text, "tv_usec")).value_or(0));
  constexpr uint64_t kSecond = 1'000'000'000;
  return {.kind = TimeChange::Kind::kGiven, .time = {*seconds, static_cast<uint32_t>(fraction % kSecond)}};
}

std::optional<uint32_t> IdOf(std::string_view argument) {
  const std::optional<int64_t> id = ParseNumber(argument);
  if (!id.has_value() || *id < 0 || *id >= UINT32_MAX) return std::nullopt;
  return static_cast<uint32_t>(*id);
}

}  // namespace

void Interpreter::ChangeModeOf(Call& call, std::optional<Subject> subject, uint64_t mode) {
  if (!subject.has_value()) return;
  if (call.result().ok()) ConjureMissing(call, &*subject, FileType::kRegular);
  const NodeNumber number = subject->walk.place.node;
  if (number != NodeNumber{} && space_.Get(number).type == FileType::kSymlink) {
    return Skip("chmod: a symlink, which has no mode of its own");
  }
  Operation change = Start(call, OperationKind::kChangeMode, *subject);
  change.mode = static_cast<uint32_t>(mode) & 07777;
  if (!Agree(call, &change, subject->MissingError())) return;
  Node& node = space_.Get(change.place.node);
  node.permissions = change.mode;
  node.asked.reset();
  node.is_mode_known = true;
  node.is_mode_changed = true;
  node.is_written = false;
  Emit(&change);
}

void Interpreter::ChangeMode(Call& call) {
  ChangeModeOf(call, Resolve(call, "", call.Argument(0), FollowLast::kYes), call.Flags(1));
}

void Interpreter::ChangeModeFile(Call& call) {
  ChangeModeOf(call, ResolveDescriptor(call, call.Argument(0)), call.Flags(1));
}

void Interpreter::ChangeModeAt(Call& call) {
  const uint64_t flags = call.Flags(3);
  ChangeModeOf(call, Resolve(call, call.Argument(0), call.Argument(1), FollowOf(flags), flags), call.Flags(2));
}

void Interpreter::ChangeOwnerOf(Call& call, std::optional<Subject> subject, size_t first) {
  if (!subject.has_value()) return;
  if (call.result().ok()) ConjureMissing(call, &*subject, FileType::kRegular);
  Operation change = Start(call, OperationKind::kChangeOwner, *subject);
  change.uid = IdOf(call.Argument(first));
  change.gid = IdOf(call.Argument(first + 1));
  if (!Agree(call, &change, subject->MissingError())) return;
  // As Linux does it for everything but directories, whoever asks.
  Node& node = space_.Get(change.place.node);
  if (node.type != FileType::kDirectory) {
    node.permissions &= ~static_cast<uint32_t>(S_ISUID);
    if ((node.permissions & S_IXGRP) != 0) node.permissions &= ~static_cast<uint32_t>(S_ISGID);
  }
  change.mode = node.permissions;
  Emit(&change);
}

void Interpreter::ChangeOwner(Call& call) {
  ChangeOwnerOf(call, Resolve(call, "", call.Argument(0), FollowLast::kYes), 1);
}

void Interpreter::ChangeOwnerLink(Call& call) {
  ChangeOwnerOf(call, Resolve(call, "", call.Argument(0), FollowLast::kNo), 1);
}

void Interpreter::ChangeOwnerFile(Call& call) { ChangeOwnerOf(call, ResolveDescriptor(call, call.Argument(0)), 1); }

void Interpreter::ChangeOwnerAt(Call& call) {
  const uint64_t flags = call.Flags(4);
  ChangeOwnerOf(call, Resolve(call, call.Argument(0), call.Argument(1), FollowOf(flags), flags), 2);
}

void Interpreter::ChangeTimesOf(Call& call, std::optional<Subject> subject, std::string_view times) {
  if (!subject.has_value()) return;
  if (call.result().ok()) ConjureMissing(call, &*subject, FileType::kRegular);
  Operation change = Start(call, OperationKind::kChangeTimes, *subject);
  change.accessed = change.modified = {.kind = TimeChange::Kind::kNow};
  if (const std::optional<std::vector<std::string_view>> both = ParseArray(times); both && both->size() == 2) {
    change.accessed = TimeOf((*both)[0]);
    change.modified = TimeOf((*both)[1]);
  } else if (times.starts_with('{')) {
    change.accessed.time.seconds = ParseNumber(FindField(times, "actime")).value_or(0);
    change.modified.time.seconds = ParseNumber(FindField(times, "modtime")).value_or(0);
    change.accessed.kind = change.modified.kind = TimeChange::Kind::kGiven;
  }
  if (Agree(call, &change, subject->MissingError())) Emit(&change);
}

void Interpreter::ChangeTimes(Call& call) {
  ChangeTimesOf(call, Resolve(call, "", call.Argument(0), FollowLast::kYes), call.Argument(1));
}

void Interpreter::ChangeTimesAt(Call& call) {
  const uint64_t flags = call.Flags(3);
  ChangeTimesOf(call, Resolve(call, call.Argument(0), call.Argument(1), FollowOf(flags), flags), call.Argument(2));
}

}  // namespace betr::replay
