// SPDX-License-Identifier: Apache-2.0
// copy_file_range(2): clones what lies in whole mebibytes at the same offset in both files, copies the rest.
//
// Block numbers are 8 bytes, big-endian, so 256^n blocks from a multiple of 256^n on are one prefix: a mebibyte has
// seven bytes of the number in common, 256 MiB six, and so on. A long aligned range is a few such prefixes.
#include <algorithm>
#include <cerrno>
#include <vector>

#include "base/status.h"
#include "fs/block_io.h"
#include "fs/content.h"
#include "fs/key.h"
#include "fs/transaction.h"

namespace betr::fs {
namespace {

constexpr uint64_t kBlock = kFileBlock.value;
constexpr uint64_t kBlocksPerPrefix = 256;
constexpr uint64_t kCloneUnit = kBlocksPerPrefix * kBlock;
constexpr size_t kCopyBuffer = 1 << 20;
// How much one call copies byte by byte at most, since it holds the lock.
constexpr uint64_t kMaxCopied = 16 << 20;

// How many clones of a prefix of `from` to one of `to` certainly fit into a batch with everything else in it.
uint64_t ClonesPerBatch(const Core& core, const std::string& from, const std::string& to) {
  constexpr size_t kOverhead = 64;
  const size_t bytes = from.size() + to.size() + kOverhead;
  const BatchSize& most = core.max_batch();
  return std::max<uint64_t>(1, std::min(most.bytes / 2 / Bytes{bytes}, most.bounds / 2 / Bytes{2 * bytes}));
}

// Adds: blocks first to last - 1 of `to` are those of `from`, or as many of them as so many clones take. Returns the
// first that is not. Requires: both multiples of 256.
uint64_t CloneBlocks(WriteBatch* batch, TreeId data, const std::string& from, const std::string& to, uint64_t first,
                     uint64_t last, uint64_t clones) {
  for (; first < last && clones > 0; --clones) {
    uint64_t step = kBlocksPerPrefix;
    size_t cut = 1;
    while (first % (step * kBlocksPerPrefix) == 0 && first + step * kBlocksPerPrefix <= last) {
      step *= kBlocksPerPrefix;
      ++cut;
    }
    const std::string source = key::Block(from, first);
    const std::string target = key::Block(to, first);
    batch->ClonePrefix(data, source.substr(0, source.size() - cut), data, target.substr(0, target.size() - cut));
    first += step;
  }
  return first;
}

// Returns where it ends: before `end` if all would be more than a batch.
absl::StatusOr<uint64_t> CloneRange(Core& core, Inode& from, Inode& to, uint64_t begin, uint64_t end) {
  BETR_RETURN_IF_ERROR(core.Flush());
  Transaction transaction(&core);
  const std::string source = core.ObjectOf(from);
  const std::string target = core.ObjectOf(to);
  // Cloning takes whole prefixes: what the source has behind `end` comes only if `end` is its end.
  const uint64_t last = BlockOf(end + kCloneUnit - 1) / kBlocksPerPrefix * kBlocksPerPrefix;
  const uint64_t reached = CloneBlocks(&transaction.batch(), core.data(), source, target, BlockOf(begin), last,
                                       ClonesPerBatch(core, source, target));
  end = std::min(end, reached * kBlock);
  AttributeDelta delta;
  delta.size_at_least = end;
  delta.modified = delta.changed = transaction.now();
  transaction.Change(&to, delta);
  BETR_RETURN_IF_ERROR(transaction.Commit());
  return end;
}

absl::StatusOr<uint64_t> CopyBytes(Core& core, Inode& from, uint64_t from_offset, Inode& to, uint64_t to_offset,
                                   uint64_t length) {
  BETR_ASSIGN_OR_RETURN(const ContentView view, ContentView::Of(core, from));
  length = std::min(length, kMaxCopied);
  std::vector<char> buffer(std::min<uint64_t>(kCopyBuffer, length));
  uint64_t done = 0;
  while (done < length) {
    const std::span<char> part = std::span(buffer).first(std::min<uint64_t>(buffer.size(), length - done));
    const absl::StatusOr<size_t> read = view.Read(from_offset + done, part);
    const absl::StatusOr<size_t> written =
        read.ok() ? Write(core, to, to_offset + done, std::string_view(buffer.data(), *read)) : read.status();
    // What was done before has happened, and is told first.
    if (!written.ok() && done > 0) break;
    BETR_RETURN_IF_ERROR(written.status());
    done += *written;
    if (*written < part.size()) break;
  }
  return done;
}

// The part of [offset, offset + length) that can be cloned at the same offset; empty if begin >= end. An incomplete
// last prefix can be included if it is the end of the source and the target has nothing after it.
struct CloneablePart {
  uint64_t begin = 0;
  uint64_t end = 0;
};
CloneablePart Cloneable(const Inode& from, const Inode& to, uint64_t offset, uint64_t length) {
  CloneablePart part;
  part.begin = (offset + kCloneUnit - 1) / kCloneUnit * kCloneUnit;
  part.end = offset + length;
  const bool to_the_end = part.end == from.record.size && to.record.size <= part.end;
  if (!to_the_end) part.end = part.end / kCloneUnit * kCloneUnit;
  return part;
}

}  // namespace

absl::StatusOr<uint64_t> CopyRange(Core& core, Inode& from, uint64_t from_offset, Inode& to, uint64_t to_offset,
                                   uint64_t length) {
  BETR_RETURN_IF_ERROR(CheckRegular(from));
  BETR_RETURN_IF_ERROR(CheckRegular(to));
  if (from.place == InodePlace::kGone || to.place == InodePlace::kGone) return ErrnoError(ESTALE, "a removed file");
  if (from_offset >= from.record.size || length == 0) return 0;
  if (to_offset >= kMaxFileSize.value) return ErrnoError(EFBIG, "copy beyond the largest file");
  length = std::min({length, from.record.size - from_offset, kMaxFileSize.value - to_offset});
  if (&from == &to && from_offset < to_offset + length && to_offset < from_offset + length) {
    return ErrnoError(EINVAL, "overlapping ranges of one file");
  }
  const CloneablePart part = Cloneable(from, to, from_offset, length);
  if (from_offset != to_offset || part.begin >= part.end) {
    return CopyBytes(core, from, from_offset, to, to_offset, length);
  }
  // What the source has gathered may be lost on the way to the store. Then it ends before what was to be copied.
  const uint64_t size = from.record.size;
  BETR_RETURN_IF_ERROR(core.FlushFor(from));
  if (from.record.size < size) return CopyRange(core, from, from_offset, to, to_offset, length);
  BETR_ASSIGN_OR_RETURN(const uint64_t head,
                        CopyBytes(core, from, from_offset, to, to_offset, part.begin - from_offset));
  if (head < part.begin - from_offset) return head;
  const absl::StatusOr<uint64_t> cloned = CloneRange(core, from, to, part.begin, part.end);
  if (!cloned.ok() && head > 0) return head;
  BETR_RETURN_IF_ERROR(cloned.status());
  if (*cloned < part.end) return *cloned - from_offset;
  const absl::StatusOr<uint64_t> tail = CopyBytes(core, from, part.end, to, part.end, from_offset + length - part.end);
  return part.end - from_offset + tail.value_or(0);
}

}  // namespace betr::fs
