// SPDX-License-Identifier: Apache-2.0
#include "fs/content.h"

#include <algorithm>
#include <cerrno>

#include "base/status.h"
#include "fs/block_io.h"
#include "fs/key.h"
#include "fs/time_coding.h"
#include "fs/transaction.h"
#include "fs/zones.h"

namespace betr::fs {
namespace {

absl::Status CheckWritable(Core& core, const Inode& inode) {
  BETR_RETURN_IF_ERROR(CheckRegular(inode));
  if (inode.place == InodePlace::kGone) return ErrnoError(ESTALE, "a removed file");
  if (core.store().ReadOnly()) return ErrnoError(EROFS, "read-only store");
  return absl::OkStatus();
}

AttributeDelta Written(FileTime now, uint64_t end) {
  AttributeDelta delta;
  delta.size_at_least = end;
  delta.modified = delta.changed = now;
  return delta;
}

// Hands over what is pending before a change that discards [begin, end). If there is no space for it, and the change
// discards all of it, it stays pending, since the change may make room: ForgetDiscarded, once that is in the store.
absl::Status FlushForDiscard(Core& core, const Inode& inode, uint64_t begin, uint64_t end) {
  const absl::Status flushed = core.FlushFor(inode);
  const PendingWrite& pending = inode.pending;
  const bool discards_all = begin <= pending.offset && pending.offset + pending.bytes.size() <= end;
  return absl::IsResourceExhausted(flushed) && discards_all ? absl::OkStatus() : flushed;
}

void ForgetDiscarded(Core& core, Inode& inode) {
  core.DropPending(inode);
  core.inodes().MayGo(&inode);
}

}  // namespace

absl::Status CheckRegular(const Inode& inode) {
  if (inode.IsDirectory()) return ErrnoError(EISDIR, "content of a directory");
  if (inode.record.type != FileType::kRegular) return ErrnoError(EINVAL, "not a regular file");
  return absl::OkStatus();
}

absl::StatusOr<size_t> Write(Core& core, Inode& inode, uint64_t offset, std::string_view bytes, WriteTimes times) {
  BETR_RETURN_IF_ERROR(CheckWritable(core, inode));
  if (bytes.empty()) return 0;
  if (offset >= kMaxFileSize.value) return ErrnoError(EFBIG, "write beyond the largest file");
  bytes = bytes.substr(0, kMaxFileSize.value - offset);
  const uint64_t size = inode.record.size;
  size_t done = 0;
  while (done < bytes.size()) {
    const std::string_view part = bytes.substr(done, core.PartSize(inode, offset + done, bytes.size() - done));
    AttributeDelta attributes;
    attributes.size_at_least = offset + done + part.size();
    if (times == WriteTimes::kNow) attributes.modified = attributes.changed = core.Now();
    const absl::Status gathered = core.Gather(inode, offset + done, part, attributes);
    if (!gathered.ok() && done == 0) return gathered;
    if (!gathered.ok()) break;
    done += part.size();
  }
  inode.times_are_late = times == WriteTimes::kStay;
  // It is shorter if what was gathered before is lost.
  SplitZoneIfGrown(core, inode, Bytes{inode.record.size - std::min(size, inode.record.size)});
  return done;
}

absl::StatusOr<uint64_t> Append(Core& core, Inode& inode, std::string_view bytes) {
  BETR_RETURN_IF_ERROR(CheckWritable(core, inode));
  const AttributeChange before{
      .size = inode.record.size, .modified = inode.record.modified, .changed = inode.record.changed};
  const uint64_t begin = inode.record.size;
  if (bytes.size() > kMaxFileSize.value - begin) return ErrnoError(EFBIG, "append beyond the largest file");
  for (uint64_t at = begin; !bytes.empty();) {
    const absl::StatusOr<size_t> written = Write(core, inode, at, bytes);
    if (!written.ok()) {
      // A caller that was not told of this part would append it again.
      if (inode.record.size > begin) SetAttributes(core, inode, before).IgnoreError();
      return written.status();
    }
    at += *written;
    bytes.remove_prefix(*written);
  }
  return begin;
}

absl::Status Allocate(Core& core, Inode& inode, AllocateMode mode, uint64_t offset, uint64_t length) {
  BETR_RETURN_IF_ERROR(CheckWritable(core, inode));
  if (length == 0) return ErrnoError(EINVAL, "no length");
  if (offset > kMaxFileSize.value || length > kMaxFileSize.value - offset) return ErrnoError(EFBIG, "range of a file");
  const uint64_t end = offset + length;
  const bool extends = mode == AllocateMode::kExtend || mode == AllocateMode::kZero;
  const bool zeroes = mode != AllocateMode::kExtend && mode != AllocateMode::kKeepSize;
  const bool punches = mode == AllocateMode::kPunchHole;
  BETR_RETURN_IF_ERROR(punches ? FlushForDiscard(core, inode, offset, end) : core.FlushFor(inode));

  Transaction transaction(&core);
  if (punches) transaction.batch().MayUseReserve();
  // A pending write that is discarded leaves the size that it made.
  const AttributeDelta delta = Written(transaction.now(), extends ? end : inode.record.size);
  if (zeroes && offset < inode.record.size) {
    AddZeros(&transaction.batch(), core.data(), core.ObjectOf(inode), offset, std::min(end, inode.record.size));
  }
  transaction.Change(&inode, delta);
  BETR_RETURN_IF_ERROR(transaction.Commit());
  if (punches) ForgetDiscarded(core, inode);
  return absl::OkStatus();
}

absl::Status SetAttributes(Core& core, Inode& inode, const AttributeChange& change) {
  for (const std::optional<FileTime>& time : {change.accessed, change.modified, change.changed, change.born}) {
    if (time) BETR_RETURN_IF_ERROR(CheckTime(*time));
  }
  if (change.size) {
    BETR_RETURN_IF_ERROR(CheckWritable(core, inode));
    if (*change.size > kMaxFileSize.value) return ErrnoError(EFBIG, "size of a file");
    BETR_RETURN_IF_ERROR(FlushForDiscard(core, inode, *change.size, kMaxFileSize.value));
  }
  if (change.uid) {
    core.CountMove(inode);
    core.CountArrival(inode.record.uid);
  }
  Transaction transaction(&core);
  AttributeDelta delta;
  if (change.permissions) delta.permissions = *change.permissions & 07777;
  delta.uid = change.uid;
  delta.gid = change.gid;
  delta.size = change.size;
  delta.accessed = change.accessed;
  delta.modified = change.size && !change.modified ? transaction.now() : change.modified;
  delta.changed = change.changed ? *change.changed : transaction.now();
  delta.born = change.born;
  if (inode.place == InodePlace::kGone) {
    delta.ApplyTo(&inode.record);
    return absl::OkStatus();
  }
  if (change.size && *change.size < inode.record.size) {
    AddTruncate(&transaction.batch(), core.data(), core.ObjectOf(inode), *change.size);
    transaction.batch().MayUseReserve();
  }
  transaction.Change(&inode, delta);
  BETR_RETURN_IF_ERROR(transaction.Commit());
  if (change.modified) inode.times_are_late = false;
  if (change.size) ForgetDiscarded(core, inode);
  return absl::OkStatus();
}

}  // namespace betr::fs
