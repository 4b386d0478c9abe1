// SPDX-License-Identifier: Apache-2.0
// Gathered writes: how they come to be pending, go to the store, or are lost.
#include <absl/strings/cord.h>
#include <absl/strings/str_format.h>

#include <algorithm>
#include <cerrno>

#include "base/check.h"
#include "base/status.h"
#include "fs/block_io.h"
#include "fs/core.h"
#include "fs/erase_by_key.h"
#include "fs/key.h"

namespace betr::fs {
namespace {

// Its code alone would not tell it from ESTALE, which is kAborted, too.
constexpr char kOutdated[] = "betr/outdated";

absl::Status OutdatedError() {
  absl::Status status = absl::AbortedError("gathered writes were lost");
  status.SetPayload(kOutdated, absl::Cord());
  return status;
}

// Bytes in a batch besides the object's key and what is written: of an operation, and of the change of a record.
constexpr size_t kBlockOverhead = 32;
constexpr size_t kPendingOverhead = 256;
constexpr size_t kMaxObject = kMaxPathSize + 32;  // of an object's key

// What a gathered write takes in a batch at most: each block has the object's key, and so has the change of the record.
size_t CostOf(size_t object, uint64_t offset, size_t size) {
  const uint64_t blocks = BlockOf(offset + size - 1) - BlockOf(offset) + 1;
  return size + blocks * (object + kBlockOverhead) + object + kPendingOverhead;
}

// The batch without its first operations, and with records that do not tell of what is still pending.
WriteBatch WithoutPending(const WriteBatch& batch, size_t pending_ops,
                          const std::vector<PendingRecord>& pending_records) {
  WriteBatch alone;
  if (batch.may_use_reserve()) alone.MayUseReserve();
  auto next = pending_records.begin();
  for (size_t i = pending_ops; i < batch.ops().size(); ++i) {
    const Op& op = batch.ops()[i];
    const bool is_pending_record = next != pending_records.end() && next->op == i;
    if (is_pending_record && !next->inode->pending.Empty()) {
      InodeRecord record = next->record;
      next->inode->pending.TakeBack(&record);
      alone.Put(op.tree, op.key, EncodeInode(record));
    } else {
      CopyOp(op, &alone);
    }
    if (is_pending_record) ++next;
  }
  return alone;
}

}  // namespace

bool IsOutdated(const absl::Status& status) { return status.GetPayload(kOutdated).has_value(); }

void PendingWrite::Begin(uint64_t at, size_t object_size, const InodeRecord& record) {
  offset = at;
  object = object_size;
  size_before = record.size;
  modified_before = record.modified;
  changed_before = record.changed;
}

void PendingWrite::TakeBack(InodeRecord* record) const {
  record->size = size_before;
  // Not if something else has changed them since, which the store has.
  if (record->modified == attributes.modified) record->modified = modified_before;
  if (record->changed == attributes.changed) record->changed = changed_before;
}

size_t Core::PartSize(const Inode& inode, uint64_t offset, size_t size) const {
  const size_t part = std::min(size, batch_bytes_);
  const size_t in_block = kFileBlock.value - OffsetInBlock(offset);
  const auto fits = [&](size_t object) { return Bytes{CostOf(object, offset, part)} <= max_batch_.bytes; };
  // Two blocks with long keys may be more than the smallest log takes. One is not.
  return part <= in_block || fits(kMaxObject) || fits(ObjectOf(inode).size()) ? part : in_block;
}

absl::Status Core::Gather(Inode& inode, uint64_t offset, std::string_view bytes, const AttributeDelta& attributes) {
  Check(bytes.size() <= batch_bytes_, "no more is gathered than fits into a batch");
  PendingWrite& pending = inode.pending;
  const bool goes_on = !pending.Empty() && pending.offset + pending.bytes.size() == offset;
  const size_t object = goes_on ? pending.object : ObjectOf(inode).size();
  const uint64_t begin = goes_on ? pending.offset : offset;
  const size_t cost = CostOf(object, begin, offset + bytes.size() - begin);
  if ((!pending.Empty() && !goes_on) || pending_bytes_ - pending.cost + cost > batch_bytes_) {
    BETR_RETURN_IF_ERROR(FlushBefore(inode));
  }
  if (pending_.empty() && !HasSpaceForBatch()) return WriteThrough(inode, offset, bytes, attributes);
  if (pending.Empty()) {
    pending.Begin(offset, object, inode.record);
    pending_.push_back(&inode);
  }
  pending.bytes.append(bytes);
  pending.attributes.Then(attributes);
  pending_bytes_ -= pending.cost;
  pending.cost = CostOf(object, pending.offset, pending.bytes.size());
  pending_bytes_ += pending.cost;
  attributes.ApplyTo(&inode.record);
  return absl::OkStatus();
}

absl::Status Core::WriteThrough(Inode& inode, uint64_t offset, std::string_view bytes,
                                const AttributeDelta& attributes) {
  InodeRecord record = inode.record;
  attributes.ApplyTo(&record);
  const std::string object = ObjectOf(inode);
  WriteBatch batch;
  AddBlockWrites(&batch, data_, object, offset, bytes, record.size);
  batch.Upsert(meta_, object, kAttributeUpsert, EncodeDelta(attributes));
  BETR_RETURN_IF_ERROR(store_->Write(batch));
  inode.record = std::move(record);
  return absl::OkStatus();
}

void Core::AddPendingOf(const Inode& inode, WriteBatch* batch) {
  const std::string object = ObjectOf(inode);
  AddBlockWrites(batch, data_, object, inode.pending.offset, inode.pending.bytes, inode.record.size);
  // What changed the record since may be in the store already.
  AttributeDelta attributes = inode.pending.attributes;
  attributes.modified = inode.record.modified;
  attributes.changed = inode.record.changed;
  batch->Upsert(meta_, object, kAttributeUpsert, EncodeDelta(attributes));
}

void Core::AddPending(WriteBatch* batch) {
  for (const Inode* inode : pending_) AddPendingOf(*inode, batch);
}

void Core::ForgetPending() {
  std::vector<Inode*> written;
  written.swap(pending_);
  pending_bytes_ = 0;
  for (Inode* inode : written) {
    inode->pending.Clear();
    inodes_.MayGo(inode);
  }
}

void Core::DropPending(Inode& inode) {
  if (inode.pending.Empty()) return;
  pending_bytes_ -= inode.pending.cost;
  pending_.erase(std::find(pending_.begin(), pending_.end(), &inode));
  inode.pending.Clear();
}

bool Core::IsRefusal(const absl::Status& status) const {
  return (IsUnreadable(status) || absl::IsOutOfRange(status)) && !store_->ReadOnly();
}

absl::Status Core::Flush() {
  if (pending_.empty()) return absl::OkStatus();
  WriteBatch batch;
  batch.MayUseReserve();  // it was accepted while there was space, which others may have taken since
  AddPending(&batch);
  const absl::Status written = store_->Write(batch);
  if (written.ok()) ForgetPending();
  return IsRefusal(written) ? FlushOneByOne() : written;
}

absl::Status Core::FlushOneByOne() {
  absl::Status flushed = absl::OkStatus();
  for (Inode* inode : std::vector<Inode*>(pending_)) {
    WriteBatch batch;
    batch.MayUseReserve();
    AddPendingOf(*inode, &batch);
    const absl::Status written = store_->Write(batch);
    if (!written.ok() && !IsRefusal(written)) {
      flushed.Update(written);
      continue;
    }
    if (!written.ok()) Lose(*inode, written);
    DropPending(*inode);
    inodes_.MayGo(inode);
  }
  return flushed;
}

void Core::Lose(Inode& inode, const absl::Status& why) {
  inode.pending.TakeBack(&inode.record);
  const std::string name = inode.names.empty()
                               ? absl::StrFormat("inode %u", inode.record.number)
                               : key::PathOfObject(key::Entry(PathOf(*inode.parent()), inode.names.front().name));
  const absl::Status loss = Annotate(why, absl::StrFormat("%s: writes were lost", name));
  inode.loss.Update(loss);
  losses_.Update(loss);
  ++loss_count_;
}

absl::Status Core::FlushBefore(Inode& inode) {
  const absl::Status before = TakeLoss(inode);
  absl::Status flushed = Flush();
  flushed.Update(inode.loss);
  inode.loss.Update(before);
  return flushed;
}

absl::Status Core::WriteWithPending(const WriteBatch& batch, size_t pending_ops,
                                    const std::vector<PendingRecord>& pending_records) {
  const bool wants_erases = WantsErasesByKey(*this, batch);
  if (pending_ops == 0 && !wants_erases) return WriteAlone(batch);
  const bool together = !wants_erases && batch.Sizes().Within(max_batch_);
  absl::Status written = absl::OkStatus();
  if (together) {
    written = store_->Write(batch);
    if (written.ok()) ForgetPending();
    if (!(IsRefusal(written) || absl::IsResourceExhausted(written))) return written;
  }
  const uint64_t losses = loss_count_;
  if (!together || IsRefusal(written)) written = Flush();
  if (loss_count_ != losses) return OutdatedError();
  // It may be only what is pending that is too much, and this operation may be one that makes room. One that does not
  // must not take the space of what was accepted before.
  const bool may_go = written.ok() || (absl::IsResourceExhausted(written) && (wants_erases || batch.may_use_reserve()));
  if (!may_go) return written;
  const WriteBatch alone = WithoutPending(batch, pending_ops, pending_records);
  return wants_erases ? WriteWithErasesByKey(*this, alone) : WriteAlone(alone);
}

absl::Status Core::WriteAlone(const WriteBatch& batch) {
  if (!batch.Sizes().Within(max_batch_)) return ErrnoError(ENOSPC, "more than one batch of this image may be");
  return store_->Write(batch);
}

}  // namespace betr::fs
