// SPDX-License-Identifier: Apache-2.0
// The renames.
#include <linux/fs.h>

#include <cerrno>
#include <utility>

#include "replay/interpret/interpreter.h"

namespace betr::replay {
namespace {

constexpr std::string_view kRefusedFlags = "rename: EINVAL for its flags";

// Whether the last name is missing in a removed directory, where nothing can be made either.
bool IsInRemoved(const WalkResult& walk) {
  return walk.error == ENOENT && !walk.wants_directory && walk.place.parent != NodeNumber{};
}

// The error of the walk, if it is not about the last name or a slash behind it.
int ErrorOnTheWay(const WalkResult& walk) {
  const bool is_of_slash = walk.error == ENOTDIR && walk.place.rest.empty();
  return is_of_slash || IsInRemoved(walk) ? 0 : walk.error;
}

bool MayBeDirectory(const Node& node) { return !node.is_type_sure && node.type_guess != TypeGuess::kNoDirectory; }

// Of two that were taken for files, one of which replaces the other: both are directories, or none is.
void GuessAlike(Node* one, Node* other) {
  const bool is_guessed = one->type_guess == TypeGuess::kDirectory || other->type_guess == TypeGuess::kDirectory;
  const bool are_likely = is_guessed && MayBeDirectory(*one) && MayBeDirectory(*other);
  one->type_guess = other->type_guess = are_likely ? TypeGuess::kDirectory : TypeGuess::kNoDirectory;
}

}  // namespace

// What flags ask for that is not known, or does not go together, is not done.
bool Interpreter::AreRenameFlagsUsable(const Call& call, uint64_t flags) {
  constexpr uint64_t kNotExchanged = RENAME_NOREPLACE | RENAME_WHITEOUT;
  const bool is_known = (flags & ~(kNotExchanged | RENAME_EXCHANGE)) == 0;
  const bool is_exchange = (flags & RENAME_EXCHANGE) != 0;
  if (is_known && !(is_exchange && (flags & kNotExchanged) != 0)) return true;
  if (call.result().ok()) {
    ++counts_.unsupported["renameat2 with other flags"];
  } else {
    Skip(kRefusedFlags);
  }
  return false;
}

void Interpreter::Rename(Call& call, std::string_view from_directory, std::string_view from,
                         std::string_view to_directory, std::string_view to, uint64_t flags) {
  if (!AreRenameFlagsUsable(call, flags)) return;
  const bool is_exchange = (flags & RENAME_EXCHANGE) != 0;
  const uint64_t outside = counts_.outside;
  std::optional<Subject> source = Resolve(call, from_directory, from, FollowLast::kNever);
  const int traced = call.result().error;
  if (source.has_value() && (traced == 0 || traced == EISDIR || (traced == EEXIST && flags != 0))) {
    ConjureMissing(call, &*source, FileType::kRegular);
  }
  const bool are_directories = traced == ENOTEMPTY || (traced == EEXIST && flags == 0);
  if (source.has_value() && are_directories) ConjureMissing(call, &*source, FileType::kDirectory);
  std::optional<Subject> made = Resolve(call, to_directory, to, FollowLast::kNever);
  const bool goes_out = source.has_value() && !made.has_value() && counts_.outside > outside && call.result().ok();
  if (goes_out) {
    counts_.outside = outside;
    if (is_exchange) {
      ++counts_.unsupported["rename from outside of the root"];
      return;
    }
    RenameOut(call, *source);
    if ((flags & RENAME_WHITEOUT) != 0) Whiteout(call, source->walk.place);
    return;
  }
  if (!AreBothInside(call, source, made, outside)) return;
  if (is_exchange ? traced == 0 : traced == EEXIST && flags != 0) ConjureMissing(call, &*made, FileType::kRegular);
  if (are_directories || traced == EISDIR) ConjureMissing(call, &*made, FileType::kDirectory);
  if (are_directories && made->walk.error == 0) ShowNotEmpty(made->walk.place.node);
  RenameWithin(call, *source, *made, flags);
}

// What leaves the root is removed, and all that is in it.
void Interpreter::RenameOut(Call& call, const Subject& source) {
  const Place& place = source.walk.place;
  Operation remove = Start(call, OperationKind::kUnlink, source);
  int predicted = source.MissingError();
  if (predicted == 0 && place.parent == NodeNumber{}) predicted = EBUSY;
  if (Agree(call, &remove, predicted)) RemoveTree(call, place);
}

void Interpreter::RemoveTree(const Call& call, const Place& top) {
  std::vector<std::pair<Place, bool>> pending{{top, false}};  // and whether it is empty by now
  while (!pending.empty()) {
    auto& [last, is_empty] = pending.back();
    const Place place = last;
    const bool is_directory = space_.Get(place.node).type == FileType::kDirectory;
    if (is_directory && !is_empty) {
      is_empty = true;
      for (const auto& [name, child] : space_.Get(place.node).children) {
        pending.emplace_back(Place{child, place.node, name, {}}, false);
      }
      continue;
    }
    pending.pop_back();
    Subject subject;
    subject.walk.place = place;
    Operation remove = Start(call, is_directory ? OperationKind::kRemoveDirectory : OperationKind::kUnlink, subject);
    Bind(place);
    HandOn(&remove);
    Settle(space_.RemoveName(place.parent, place.name));
  }
}

// The character device that overlays leave where something was.
void Interpreter::Whiteout(const Call& call, const Place& place) {
  if (space_.Get(place.parent).children.contains(place.name)) return;
  Operation made;
  made.kind = OperationKind::kMakeNode;
  made.type = FileType::kCharDevice;
  made.place = {{}, place.parent, place.name, {}};
  made.time = call.event.time;
  Put(&made);
}

// Linux walks to both directories first, then looks at the kinds of both last names, then for what has these names, and
// at last at slashes behind them: at that of the second only if what is renamed, or exchanged with it, is no directory.
int Interpreter::PredictRename(const Subject& source, const Subject& made, Operation* rename) const {
  const bool is_exchange = (rename->flags & RENAME_EXCHANGE) != 0;
  const bool is_new = (rename->flags & RENAME_NOREPLACE) != 0;
  const auto fails_at = [rename](const Subject& subject, int error) {
    rename->place = subject.walk.place;
    return error;
  };
  if (const int error = ErrorOnTheWay(source.walk); error != 0) return error;
  if (const int error = ErrorOnTheWay(made.walk); error != 0) return fails_at(made, error);
  if (rename->place.parent == NodeNumber{}) return EBUSY;
  if (rename->to.parent == NodeNumber{}) return is_new ? EEXIST : EBUSY;
  if (rename->place.node == NodeNumber{}) return ENOENT;
  if (is_new && rename->to.node != NodeNumber{}) return EEXIST;
  if (is_exchange && rename->to.node == NodeNumber{}) return fails_at(made, ENOENT);
  if (IsInRemoved(made.walk)) return fails_at(made, ENOENT);
  if (source.walk.error != 0) return source.walk.error;
  const bool is_directory = space_.Get(rename->place.node).type == FileType::kDirectory;
  const bool has_slash = made.walk.error != 0;
  if (has_slash && (is_exchange || !is_directory)) return fails_at(made, made.walk.error);
  const int error = space_.CheckRename(rename->place, rename->to, is_exchange);
  return has_slash && error == ENOTDIR ? fails_at(made, error) : error;
}

// Whether what is replaced seems to be a directory, and cannot be one: it is not empty, or what replaces it is none.
bool Interpreter::IsReplacedLink(const Operation& rename) {
  if (conjurer_ == nullptr || !IsDirectory(rename.to.node, false)) return false;
  const Node& source = space_.Get(rename.place.node);
  const bool is_source_none = source.type != FileType::kDirectory && source.is_type_sure;
  return is_source_none || !space_.Get(rename.to.node).children.empty();
}

void Interpreter::RenameWithin(Call& call, const Subject& source, const Subject& made, uint64_t flags) {
  const bool is_exchange = (flags & RENAME_EXCHANGE) != 0;
  const int traced = call.result().error;
  Operation rename = Start(call, OperationKind::kRename, source);
  rename.to = made.walk.place;
  rename.flags = static_cast<uint32_t>(flags) & (RENAME_NOREPLACE | RENAME_EXCHANGE);
  const bool are_found = source.MissingError() == 0 && made.walk.error == 0;
  const bool replaces = are_found && traced == 0 && !is_exchange && rename.to.node != NodeNumber{};
  if (replaces && IsReplacedLink(rename)) {
    ShowReplacedLink(rename.to.node);
  } else if (replaces) {
    // Only a directory replaces a directory.
    const bool is_either = IsDirectory(rename.place.node, false) || IsDirectory(rename.to.node, false);
    IsDirectory(rename.place.node, is_either);
    IsDirectory(rename.to.node, is_either);
    if (!is_either) GuessAlike(&space_.Get(rename.place.node), &space_.Get(rename.to.node));
  }
  if (are_found && made.walk.wants_directory && !IsDirectory(rename.place.node, traced == 0)) {
    // The slash decides, and an operation has none.
    return Skip("rename: a slash behind the name of a file");
  }
  const int predicted = PredictRename(source, made, &rename);
  if (predicted == ENOTDIR && traced == ENOTDIR && are_found) {
    ++counts_.used;
    return Emit(&rename);
  }
  if (predicted == 0 && traced == EINVAL && flags != 0) return Skip(kRefusedFlags);
  if (!Agree(call, &rename, predicted)) return;
  if (IsDirectory(rename.place.node, false) || (is_exchange && IsDirectory(rename.to.node, false))) {
    rename.type = FileType::kDirectory;
  }
  Bind(rename.place);
  Bind(rename.to);
  HandOn(&rename);
  const NodeNumber replaced = space_.ApplyRename(rename.place, rename.to, is_exchange);
  if (replaced != NodeNumber{}) Settle(replaced);
  if ((flags & RENAME_WHITEOUT) != 0) Whiteout(call, rename.place);
}

void Interpreter::RenamePlain(Call& call) { Rename(call, "", call.Argument(0), "", call.Argument(1), 0); }

void Interpreter::RenameAt(Call& call) {
  Rename(call, call.Argument(0), call.Argument(1), call.Argument(2), call.Argument(3), call.Flags(4));
}

}  // namespace betr::replay
