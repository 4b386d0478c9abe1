// SPDX-License-Identifier: Apache-2.0
#include "replay/converted/operation_follower.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/fs.h>

#include <string_view>

#include "base/check.h"
#include "base/status.h"

namespace betr::replay {
namespace {

constexpr size_t kLongestName = 255;

absl::Status Wrong(const std::string& why) { return absl::InvalidArgumentError(why); }

bool IsName(std::string_view name) {
  return !name.empty() && name.size() <= kLongestName && name != "." && name != ".." &&
         name.find('/') == std::string_view::npos && name.find('\0') == std::string_view::npos;
}

bool Makes(const Operation& operation) {
  switch (operation.kind) {
    case OperationKind::kCreate:
    case OperationKind::kMakeDirectory:
    case OperationKind::kMakeNode:
    case OperationKind::kSymlink:
      return true;
    default:
      return false;
  }
}

bool Opens(const Operation& operation) {
  return operation.kind == OperationKind::kOpen || operation.kind == OperationKind::kCreate;
}

// Whether the target needs an open file for it.
bool NeedsFile(OperationKind kind) {
  switch (kind) {
    case OperationKind::kClose:
    case OperationKind::kRead:
    case OperationKind::kWrite:
    case OperationKind::kAppend:
    case OperationKind::kAllocate:
    case OperationKind::kCopyRange:
    case OperationKind::kFsync:
    case OperationKind::kSeek:
    case OperationKind::kList:
      return true;
    default:
      return false;
  }
}

}  // namespace

bool OperationFollower::IsOfType(NodeNumber node, FileType type) const {
  return space_.Has(node) && space_.Get(node).type == type;
}

bool OperationFollower::IsLiveDirectory(NodeNumber node) const {
  return IsOfType(node, FileType::kDirectory) && space_.Get(node).names > 0 && !space_.Get(node).is_outside;
}

absl::Status OperationFollower::CheckPlace(const Place& place, bool is_probe) const {
  if (place.node != NodeNumber{} && (!space_.Has(place.node) || space_.Get(place.node).is_outside)) {
    return Wrong(fmt::format("node {} is not there", place.node.value));
  }
  if (!place.rest.empty() && (!is_probe || place.node == NodeNumber{} || place.rest.find('\0') != std::string::npos)) {
    return Wrong("a path goes on where it may not");
  }
  if (place.parent == NodeNumber{}) return place.name.empty() ? absl::OkStatus() : Wrong("a name without a directory");
  const bool is_directory = IsOfType(place.parent, FileType::kDirectory) && !space_.Get(place.parent).is_outside;
  if (!is_directory) return Wrong(fmt::format("node {} is no directory", place.parent.value));
  if (!IsName(place.name)) return Wrong("a name that is none");
  const auto& children = space_.Get(place.parent).children;
  const auto found = children.find(place.name);
  const NodeNumber there = found == children.end() ? NodeNumber{} : found->second;
  return there == place.node ? absl::OkStatus() : Wrong(fmt::format("the name is of node {}", there.value));
}

absl::Status OperationFollower::CheckFile(FileNumber file, NodeNumber node) const {
  const auto found = files_.find(file);
  if (found == files_.end()) return Wrong(fmt::format("file {} is not open", file.value));
  return found->second == node ? absl::OkStatus() : Wrong(fmt::format("file {} is another node", file.value));
}

// Something that is made, and was.
absl::Status OperationFollower::CheckMade(const Operation& operation) const {
  if (operation.place.node != space_.next()) return Wrong("a new node has not the next number");
  FileType type = operation.type;
  if (operation.kind == OperationKind::kCreate) type = FileType::kRegular;
  if (operation.kind == OperationKind::kMakeDirectory) type = FileType::kDirectory;
  if (operation.kind == OperationKind::kSymlink) type = FileType::kSymlink;
  const bool is_made_otherwise =
      operation.kind == OperationKind::kMakeNode && (type == FileType::kDirectory || type == FileType::kSymlink);
  if (type != operation.type || is_made_otherwise) return Wrong("a new node has another type");
  if (operation.text.find('\0') != std::string::npos) return Wrong("a target that is none");
  if (operation.variant == Variant::kUnnamed) {
    const bool is_named = operation.place.parent != NodeNumber{} || !operation.place.name.empty();
    if (operation.kind != OperationKind::kCreate || is_named) return Wrong("a name of what has none");
    return IsLiveDirectory(operation.to.node) ? absl::OkStatus() : Wrong("no directory to make a file in");
  }
  Place place = operation.place;
  place.node = NodeNumber{};
  BETR_RETURN_IF_ERROR(CheckPlace(place, false));
  return IsLiveDirectory(place.parent) ? absl::OkStatus() : Wrong("no directory to make something in");
}

bool OperationFollower::MustFail(const Operation& operation) const {
  const Place& from = operation.place;
  const Place& to = operation.to;
  switch (operation.kind) {
    case OperationKind::kLink:
      return to.node != NodeNumber{} || IsOfType(from.node, FileType::kDirectory);
    case OperationKind::kUnlink:
      return IsOfType(from.node, FileType::kDirectory);
    case OperationKind::kRemoveDirectory:
      return !IsOfType(from.node, FileType::kDirectory) || !space_.Get(from.node).children.empty();
    case OperationKind::kRename: {
      if (from.parent == NodeNumber{} || to.parent == NodeNumber{} || from.node == NodeNumber{}) return true;
      const bool is_exchange = (operation.flags & RENAME_EXCHANGE) != 0;
      if (to.node != NodeNumber{} ? (operation.flags & RENAME_NOREPLACE) != 0 : is_exchange) return true;
      return space_.CheckRename(from, to, is_exchange) != 0;
    }
    case OperationKind::kCreate:
      return from.node != NodeNumber{} && (operation.flags & O_EXCL) != 0;
    default:
      return from.node != NodeNumber{};  // what is made is there
  }
}

absl::Status OperationFollower::CheckNames(const Operation& operation) const {
  const Place& from = operation.place;
  const Place& to = operation.to;
  const bool is_link = operation.kind == OperationKind::kLink;
  const bool has_one_flag =
      operation.flags == 0 || operation.flags == RENAME_NOREPLACE || operation.flags == RENAME_EXCHANGE;
  if (operation.kind == OperationKind::kRename && !has_one_flag) return Wrong("flags that no rename here has");
  if (operation.expected_error != 0) return MustFail(operation) ? absl::OkStatus() : Wrong("it would not fail");
  if (from.node == NodeNumber{}) return Wrong("what it is about is not there");
  const bool has_names = (is_link || from.parent != NodeNumber{}) &&
                         (operation.kind == OperationKind::kUnlink ||
                          operation.kind == OperationKind::kRemoveDirectory || to.parent != NodeNumber{});
  if (!has_names) return Wrong("a name is missing");
  Operation done = operation;
  if (is_link) {
    if (to.node != from.node) return Wrong("a link to another node");
    done.to.node = NodeNumber{};
    BETR_RETURN_IF_ERROR(CheckPlace(done.to, false));
  }
  if (MustFail(done)) return Wrong("it would fail");
  const bool is_made = is_link || operation.kind == OperationKind::kRename;
  return !is_made || IsLiveDirectory(to.parent) ? absl::OkStatus() : Wrong("the directory of the new name is gone");
}

absl::Status OperationFollower::CheckContent(const Operation& operation) const {
  const bool moves = operation.kind == OperationKind::kRead || operation.kind == OperationKind::kWrite ||
                     operation.kind == OperationKind::kAppend;
  if (moves && operation.length > kMostMoved) return Wrong("more bytes than a call can move");
  if (operation.kind == OperationKind::kCopyRange) {
    BETR_RETURN_IF_ERROR(CheckFile(operation.to_file, operation.to.node));
  }
  return absl::OkStatus();
}

// Operations that change no names.
absl::Status OperationFollower::CheckNode(const Operation& operation) const {
  const NodeNumber node = operation.place.node;
  switch (operation.kind) {
    case OperationKind::kLookup:
      if (node == NodeNumber{} || operation.place.parent == NodeNumber{}) return Wrong("a lookup of nothing");
      if (operation.expected_error != 0) return Wrong("a lookup that fails");
      if (space_.Get(node).is_bound) return Wrong("a lookup of what is known already");
      return IsOfType(node, operation.type) ? absl::OkStatus() : Wrong("the node has another type");
    case OperationKind::kOpen: {
      if (operation.expected_error != 0 && node == NodeNumber{}) {
        return (operation.flags & O_CREAT) != 0 ? Wrong("it would not fail") : absl::OkStatus();
      }
      return IsOfType(node, operation.type) ? absl::OkStatus() : Wrong("the node has another type");
    }
    case OperationKind::kTruncate:
      if (operation.expected_error != 0 && !IsOfType(node, FileType::kSymlink)) return absl::OkStatus();
      return IsOfType(node, FileType::kRegular) ? absl::OkStatus() : Wrong("the node has no content");
    case OperationKind::kChangeMode:
      return IsOfType(node, FileType::kSymlink) ? Wrong("a symlink has no mode of its own") : absl::OkStatus();
    case OperationKind::kForget: {
      const bool is_used = node == NodeNumber{} || space_.Get(node).names > 0 || space_.Get(node).uses > 0;
      return is_used ? Wrong("the node is still in use") : absl::OkStatus();
    }
    default:
      return CheckContent(operation);
  }
}

absl::Status OperationFollower::Check(const Operation& operation) const {
  const bool is_done = operation.expected_error == 0;
  if (operation.is_probe && is_done) return Wrong("a probe that succeeds");
  if (Opens(operation) && is_done && operation.file <= last_file_) return Wrong("a new file has an old number");
  if (operation.text.find('\0') != std::string::npos) return Wrong("a text with a zero byte");
  if (Makes(operation) && is_done) return CheckMade(operation);
  BETR_RETURN_IF_ERROR(CheckPlace(operation.place, operation.is_probe));
  const bool is_link_done = operation.kind == OperationKind::kLink && is_done;
  if (!is_link_done) BETR_RETURN_IF_ERROR(CheckPlace(operation.to, operation.is_probe));
  const bool is_by_file = operation.file != FileNumber{} && !Opens(operation);
  if (NeedsFile(operation.kind) && !is_by_file) return Wrong("a file is missing");
  if (is_by_file) BETR_RETURN_IF_ERROR(CheckFile(operation.file, operation.place.node));
  const bool is_opened_again = operation.kind == OperationKind::kOpen && operation.to_file != FileNumber{};
  if (is_opened_again) BETR_RETURN_IF_ERROR(CheckFile(operation.to_file, operation.place.node));
  if (operation.is_probe) return absl::OkStatus();
  switch (operation.kind) {
    case OperationKind::kCreate:
    case OperationKind::kMakeDirectory:
    case OperationKind::kMakeNode:
    case OperationKind::kSymlink:
    case OperationKind::kLink:
    case OperationKind::kUnlink:
    case OperationKind::kRemoveDirectory:
    case OperationKind::kRename:
      return CheckNames(operation);
    default:
      return CheckNode(operation);
  }
}

void OperationFollower::Apply(const Operation& operation) {
  if (operation.expected_error != 0) return;
  const Place& place = operation.place;
  if (Makes(operation)) {
    const NodeNumber made = space_.Make(operation.type, operation.mode);
    betr::Check(made == place.node, "a new node has the next number");
    space_.Get(made).is_bound = true;
    if (operation.variant != Variant::kUnnamed) space_.AddName(place.parent, place.name, made);
  }
  if (Opens(operation)) {
    files_[operation.file] = place.node;
    last_file_ = operation.file;
    space_.AddUse(place.node);
  }
  switch (operation.kind) {
    case OperationKind::kLookup:
      space_.Get(place.node).is_bound = true;
      break;
    case OperationKind::kClose:
      space_.DropUse(place.node);
      files_.erase(operation.file);
      break;
    case OperationKind::kForget:
      space_.Reap(place.node);
      break;
    case OperationKind::kLink:
      space_.AddName(operation.to.parent, operation.to.name, place.node);
      break;
    case OperationKind::kUnlink:
    case OperationKind::kRemoveDirectory:
      space_.RemoveName(place.parent, place.name);
      break;
    case OperationKind::kRename:
      space_.ApplyRename(place, operation.to, (operation.flags & RENAME_EXCHANGE) != 0);
      break;
    default:
      break;
  }
}

}  // namespace betr::replay
