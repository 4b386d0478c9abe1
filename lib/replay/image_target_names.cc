// SPDX-License-Identifier: Apache-2.0
// Names and attributes.
#include <linux/fs.h>
#include <sys/stat.h>
#include <sys/xattr.h>

#include <algorithm>
#include <cerrno>

#include "replay/image_target.h"

namespace betr::replay {
namespace {

Outcome OutcomeOf(const absl::Status& status) { return {.error = ToErrno(status)}; }

}  // namespace

Outcome ImageTarget::Make(const Operation& operation) {
  const NewFile file{
      .type = operation.type, .permissions = operation.mode, .device = operation.device, .target = operation.text};
  const absl::StatusOr<Entry> entry = fs_->Create(InodeOf(operation.place.parent), operation.place.name, file);
  if (!entry.ok()) return OutcomeOf(entry.status());
  Learn(operation.place.node, entry->inode);
  return {};
}

Outcome ImageTarget::Link(const Operation& operation) {
  const absl::StatusOr<Entry> entry =
      fs_->Link(InodeOf(operation.place.node), InodeOf(operation.to.parent), operation.to.name);
  if (!entry.ok()) return OutcomeOf(entry.status());
  fs_->Forget(entry->inode);
  return {};
}

Outcome ImageTarget::Remove(const Operation& operation) {
  const InodeId parent = InodeOf(operation.place.parent);
  return OutcomeOf(operation.kind == OperationKind::kUnlink ? fs_->Unlink(parent, operation.place.name)
                                                            : fs_->RemoveDirectory(parent, operation.place.name));
}

Outcome ImageTarget::Rename(const Operation& operation) {
  RenameMode mode = RenameMode::kReplace;
  if ((operation.flags & RENAME_NOREPLACE) != 0) mode = RenameMode::kNoReplace;
  if ((operation.flags & RENAME_EXCHANGE) != 0) mode = RenameMode::kExchange;
  return OutcomeOf(fs_->Rename(InodeOf(operation.place.parent), operation.place.name, InodeOf(operation.to.parent),
                               operation.to.name, mode));
}

Outcome ImageTarget::Stat(const Operation& operation) {
  const absl::StatusOr<FileAttributes> attributes = fs_->GetAttributes(InodeOf(operation));
  if (!attributes.ok()) return OutcomeOf(attributes.status());
  return {.attributes = *attributes};
}

Outcome ImageTarget::ReadLink(const Operation& operation) {
  const absl::StatusOr<std::string> target = fs_->ReadLink(InodeOf(operation));
  if (!target.ok()) return OutcomeOf(target.status());
  return {.count = std::min<uint64_t>(target->size(), operation.length)};
}

Outcome ImageTarget::ListDirectory(const Operation& operation) {
  // The kernel sees to this before it asks a file system.
  const absl::StatusOr<FileAttributes> attributes = fs_->GetAttributes(InodeOf(operation));
  const bool is_removed = attributes.ok() && attributes->type == FileType::kDirectory && attributes->links == 0;
  if (is_removed) return {.error = ENOENT};
  Outcome outcome;
  const auto visit = [&outcome](const DirectoryEntry&) {
    ++outcome.count;
    return true;
  };
  outcome.error = ToErrno(fs_->ReadDirectory(InodeOf(operation), "", visit));
  return outcome;
}

Outcome ImageTarget::Change(const Operation& operation) {
  const InodeId inode = InodeOf(operation);
  AttributeChange change;
  if (operation.kind == OperationKind::kChangeMode) {
    change.permissions = operation.mode;
  } else if (operation.kind == OperationKind::kChangeOwner) {
    change.uid = operation.uid;
    change.gid = operation.gid;
    const absl::StatusOr<FileAttributes> before = fs_->GetAttributes(inode);
    if (!before.ok()) return OutcomeOf(before.status());
    const bool loses_bits = (before->permissions & (S_ISUID | S_ISGID)) != 0 && before->type != FileType::kDirectory;
    if (loses_bits) change.permissions = operation.mode;
  } else {
    const auto time_of = [this](const TimeChange& time) -> std::optional<FileTime> {
      if (time.kind == TimeChange::Kind::kOmit) return std::nullopt;
      return time.kind == TimeChange::Kind::kNow ? fs_->Now() : time.time;
    };
    change.accessed = time_of(operation.accessed);
    change.modified = time_of(operation.modified);
  }
  return OutcomeOf(fs_->SetAttributes(inode, change).status());
}

Outcome ImageTarget::Xattr(const Operation& operation) {
  const InodeId inode = InodeOf(operation);
  switch (operation.kind) {
    case OperationKind::kGetXattr:
      return OutcomeOf(fs_->GetXattr(inode, operation.text).status());
    case OperationKind::kListXattrs:
      return OutcomeOf(fs_->ListXattrs(inode).status());
    case OperationKind::kRemoveXattr:
      return OutcomeOf(fs_->RemoveXattr(inode, operation.text));
    default:
      break;
  }
  XattrMode mode = XattrMode::kAny;
  if ((operation.flags & XATTR_CREATE) != 0) mode = XattrMode::kCreate;
  if ((operation.flags & XATTR_REPLACE) != 0) mode = XattrMode::kReplace;
  return OutcomeOf(fs_->SetXattr(inode, operation.text, operation.value, mode));
}

Outcome ImageTarget::Forget(const Operation& operation) {
  InodeId inode;
  {
    const MutexLock lock(mutex_);
    const auto found = nodes_.find(operation.place.node);
    if (found == nodes_.end()) return {.is_performed = false};
    inode = found->second;
    nodes_.erase(found);
  }
  fs_->Forget(inode);
  return {.is_performed = false};
}

}  // namespace betr::replay
