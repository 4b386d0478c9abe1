// SPDX-License-Identifier: Apache-2.0
#include "fs/transaction.h"

#include <algorithm>

#include "base/status.h"
#include "fs/key.h"
#include "fs/reach.h"

namespace betr::fs {
namespace {

// How many bytes of paths of directories whose reach grows may be part of a transaction. The smallest log takes a
// quarter of 64 KiB at once, and the longest symlink under the longest path has three times 4 KiB of its own.
constexpr size_t kRaisedAlong = 2048;

// Whether what is to become a value of "meta" is no inode's record, or one that can be decoded.
bool CanBeRead(std::string_view key, std::string_view value) {
  const std::optional<key::MetaKey> parsed = key::ParseMeta(key);
  if (!parsed) return true;
  switch (parsed->kind) {
    case key::MetaKey::Kind::kEntry:
      return DecodeEntry(value, "entry").ok();
    case key::MetaKey::Kind::kGroup:
    case key::MetaKey::Kind::kRoot:
    case key::MetaKey::Kind::kOrphan:
      return DecodeInode(value, "record").ok();
    default:
      return true;
  }
}

// Whether an operation erases or replaces the root's record, by a range that it is in. The root is never removed, made
// or moved. A content prefix that is empty, by mistake or because records contradict each other, is the whole file
// system.
bool TakesRoot(const Op& op) {
  const auto has_root = [](const Range& range) { return range.Contains(key::kRootObject); };
  switch (op.kind) {
    case OpKind::kEraseRange:
      return has_root(op.range);
    case OpKind::kRenamePrefix:
      return has_root(Range::Prefix(op.key)) || has_root(Range::Prefix(op.value));
    case OpKind::kClonePrefix:
      return has_root(Range::Prefix(op.value));
    default:
      return false;
  }
}

}  // namespace

Transaction::Transaction(Core* core) : core_(*core), now_(core->Now()) {
  core_.AddPending(&batch_);
  pending_ops_ = batch_.ops().size();
}

Transaction::~Transaction() {
  if (!committed_) core_.NumbersCommitted(false);
}

void Transaction::PutRecord(std::string_view key, const InodeRecord& record, const Inode& inode) {
  if (!inode.pending.Empty()) pending_records_.push_back({batch_.ops().size(), &inode, record});
  batch_.Put(core_.meta(), key, EncodeInode(record));
}

void Transaction::Change(Inode* inode, const AttributeDelta& delta) {
  const auto known = std::find_if(changes_.begin(), changes_.end(),
                                  [inode](const RecordChange& change) { return change.inode == inode; });
  if (known != changes_.end()) {
    known->delta.Then(delta);
  } else {
    changes_.push_back({inode, core_.ObjectOf(*inode), delta});
  }
}

void Transaction::TouchDirectory(Inode* directory, int64_t subdirectories) {
  AttributeDelta delta;
  delta.modified = delta.changed = now_;
  if (subdirectories != 0) delta.links = subdirectories;
  Change(directory, delta);
}

void Transaction::Reach(Inode* directory, size_t entry, size_t below) {
  size_t path = core_.PathSizeOf(*directory);
  // Only what a repair has left is longer. Nothing relies on it.
  const size_t end = std::min(path + entry + below, kMaxReach);
  const size_t raised = below == 0 ? RoomyEnd(end) : end;
  for (Inode* at = directory;; at = at->parent()) {
    if (path + at->record.reach < end) raises_.push_back({at, raised - path, path});
    if (at->place != InodePlace::kNamed) return;
    path -= at->names.front().name.size() + 1;
  }
}

AttributeDelta Transaction::Raised(const Raise& raise) {
  AttributeDelta delta;
  delta.reach_at_least = raise.reach;
  return delta;
}

absl::Status Transaction::RaiseReach() {
  const auto is_changed = [this](const Raise& raise) {
    return std::ranges::any_of(changes_, [&](const RecordChange& change) { return change.inode == raise.directory; });
  };
  const auto others = std::ranges::partition(raises_, is_changed);
  size_t bytes = 0;
  for (const Raise& raise : others) bytes += raise.path;
  if (bytes > kRaisedAlong) {
    BETR_RETURN_IF_ERROR(RaiseAhead(others));
    raises_.erase(others.begin(), others.end());
  }
  for (const Raise& raise : raises_) Change(raise.directory, Raised(raise));
  return absl::OkStatus();
}

absl::Status Transaction::RaiseAhead(std::span<const Raise> raises) {
  while (!raises.empty()) {
    WriteBatch batch;
    size_t count = 0;
    do {
      const Raise& raise = raises[count++];
      batch.Upsert(core_.meta(), core_.ObjectOf(*raise.directory), kAttributeUpsert, EncodeDelta(Raised(raise)));
    } while (count < raises.size() && batch.Size().value < core_.batch_bytes());
    BETR_RETURN_IF_ERROR(core_.store().Write(batch));
    for (const Raise& raise : raises.first(count)) Raised(raise).ApplyTo(&raise.directory->record);
    raises = raises.subspan(count);
  }
  return absl::OkStatus();
}

absl::Status Transaction::CheckSafe() const {
  for (auto op = batch_.ops().begin() + static_cast<ptrdiff_t>(pending_ops_); op != batch_.ops().end(); ++op) {
    if (TakesRoot(*op)) return absl::InternalError("an operation on the whole file system instead of a part");
    const bool is_record = op->kind == OpKind::kPut && op->tree == core_.meta();
    const bool is_change = op->kind == OpKind::kUpsert && op->function == kAttributeUpsert;
    if ((is_record && !CanBeRead(op->key, op->value)) || (is_change && !DecodeDelta(op->value))) {
      return absl::InternalError(key::EscapedPathOfObject(op->key) + ": a record that could not be read again");
    }
  }
  return absl::OkStatus();
}

absl::Status Transaction::Commit() {
  BETR_RETURN_IF_ERROR(RaiseReach());
  for (const RecordChange& change : changes_) {
    batch_.Upsert(core_.meta(), change.object, kAttributeUpsert, EncodeDelta(change.delta));
  }
  BETR_RETURN_IF_ERROR(CheckSafe());
  absl::Status written = core_.WriteWithPending(batch_, pending_ops_, pending_records_);
  core_.NumbersCommitted(written.ok());
  committed_ = true;
  if (!written.ok()) return written;
  for (const RecordChange& change : changes_) change.delta.ApplyTo(&change.inode->record);
  return absl::OkStatus();
}

}  // namespace betr::fs
