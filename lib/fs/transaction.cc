// SPDX-License-Identifier: Apache-2.0
#include "fs/transaction.h"

#include <algorithm>

#include "base/status.h"
#include "fs/key.h"

namespace betr::fs {
namespace {

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

void Transaction::Reach(Inode* directory, size_t reach) {
  for (Inode* at = directory;; at = at->parent()) {
    // Whoever lies above reaches at least as far.
    if (at->record.reach >= reach) return;
    AttributeDelta delta;
    delta.reach_at_least = reach;
    Change(at, delta);
    if (at->place != InodePlace::kNamed) return;
    reach += at->names.front().name.size() + 1;
  }
}

absl::Status Transaction::CheckReadable() const {
  for (auto op = batch_.ops().begin() + static_cast<ptrdiff_t>(pending_ops_); op != batch_.ops().end(); ++op) {
    const bool is_record = op->kind == OpKind::kPut && op->tree == core_.meta();
    const bool is_change = op->kind == OpKind::kUpsert && op->function == kAttributeUpsert;
    if ((is_record && !CanBeRead(op->key, op->value)) || (is_change && !DecodeDelta(op->value))) {
      return absl::InternalError(key::EscapedPathOfObject(op->key) + ": a record that could not be read again");
    }
  }
  return absl::OkStatus();
}

absl::Status Transaction::Commit() {
  for (const RecordChange& change : changes_) {
    batch_.Upsert(core_.meta(), change.object, kAttributeUpsert, EncodeDelta(change.delta));
  }
  BETR_RETURN_IF_ERROR(CheckReadable());
  absl::Status written = core_.WriteWithPending(batch_, pending_ops_, pending_records_);
  core_.NumbersCommitted(written.ok());
  committed_ = true;
  if (!written.ok()) return written;
  for (const RecordChange& change : changes_) change.delta.ApplyTo(&change.inode->record);
  return absl::OkStatus();
}

}  // namespace betr::fs
