// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>

#include "base/coding.h"
#include "base/status.h"
#include "fs/block_io.h"
#include "fs/content.h"
#include "fs/key.h"

namespace betr::fs {
namespace {

constexpr uint64_t kBlock = kFileBlock.value;

// The number of the block that a cursor over blocks stands on.
uint64_t BlockAt(const Cursor& cursor) {
  const std::string_view key = cursor.Key();
  return LoadBigEndian64(key.data() + key.size() - 8);
}

// Copies what bytes at a place of the file and a buffer have in common. `buffer` begins at `offset` of the file.
void CopyPart(uint64_t at, std::string_view bytes, uint64_t offset, std::span<char> buffer) {
  const uint64_t begin = std::max(at, offset);
  const uint64_t end = std::min(at + bytes.size(), offset + buffer.size());
  if (begin < end) std::memcpy(buffer.data() + (begin - offset), bytes.data() + (begin - at), end - begin);
}

void CopyBlock(uint64_t block, std::string_view bytes, uint64_t offset, std::span<char> buffer) {
  CopyPart(block * kBlock, bytes.substr(0, kBlock), offset, buffer);
}

}  // namespace

ContentView::ContentView(Core& core, Inode& inode)
    : store_(&core.store()),
      data_(core.data()),
      view_(core.store().Pin()),
      object_(inode.place == InodePlace::kGone ? std::string() : core.ObjectOf(inode)),
      size_(inode.place == InodePlace::kGone ? 0 : inode.record.size),
      pending_offset_(inode.pending.offset),
      pending_(inode.pending.bytes) {}

absl::StatusOr<ContentView> ContentView::Of(Core& core, Inode& inode) {
  BETR_RETURN_IF_ERROR(CheckRegular(inode));
  core.FlushFor(inode).IgnoreError();  // who writes, or syncs, is told
  return ContentView(core, inode);
}

absl::StatusOr<std::unique_ptr<Cursor>> ContentView::BlocksIn(uint64_t first, uint64_t last) const {
  BETR_ASSIGN_OR_RETURN(std::unique_ptr<Cursor> cursor,
                        store_->NewCursor(view_, data_, key::Blocks(object_, first, last)));
  cursor->SeekToFirst();
  return cursor;
}

absl::StatusOr<size_t> ContentView::Read(uint64_t offset, std::span<char> buffer) const {
  if (offset >= size_ || buffer.empty()) return 0;
  buffer = buffer.first(std::min<uint64_t>(buffer.size(), size_ - offset));
  std::fill(buffer.begin(), buffer.end(), '\0');
  BETR_RETURN_IF_ERROR(ReadStored(offset, buffer));
  CopyPart(pending_offset_, pending_, offset, buffer);
  return buffer.size();
}

absl::Status ContentView::ReadStored(uint64_t offset, std::span<char> buffer) const {
  const uint64_t first = BlockOf(offset);
  const uint64_t last = BlockOf(offset + buffer.size() - 1) + 1;
  if (last - first == 1) {
    BETR_ASSIGN_OR_RETURN(const std::optional<std::string> block,
                          store_->Get(*view_, data_, key::Block(object_, first)));
    if (block) CopyBlock(first, *block, offset, buffer);
    return absl::OkStatus();
  }
  BETR_ASSIGN_OR_RETURN(const std::unique_ptr<Cursor> cursor, BlocksIn(first, last));
  for (; cursor->Valid(); cursor->Next()) CopyBlock(BlockAt(*cursor), cursor->Value(), offset, buffer);
  return cursor->status();
}

bool ContentView::IsPending(uint64_t block) const {
  return !pending_.empty() && BlockOf(pending_offset_) <= block &&
         block <= BlockOf(pending_offset_ + pending_.size() - 1);
}

absl::StatusOr<uint64_t> ContentView::SeekData(uint64_t offset) const {
  if (offset >= size_) return ErrnoError(ENXIO, "no data behind this offset");
  BETR_ASSIGN_OR_RETURN(const std::unique_ptr<Cursor> cursor, BlocksIn(BlockOf(offset), BlockOf(size_ - 1) + 1));
  BETR_RETURN_IF_ERROR(cursor->status());
  std::optional<uint64_t> block;
  if (cursor->Valid()) block = BlockAt(*cursor);
  const uint64_t pending = std::max(BlockOf(offset), BlockOf(pending_offset_));
  if (IsPending(pending)) block = std::min(block.value_or(pending), pending);
  if (!block) return ErrnoError(ENXIO, "no data behind this offset");
  return std::max(offset, *block * kBlock);
}

absl::StatusOr<uint64_t> ContentView::SeekHole(uint64_t offset) const {
  if (offset >= size_) return ErrnoError(ENXIO, "no hole behind this offset");
  uint64_t expected = BlockOf(offset);
  BETR_ASSIGN_OR_RETURN(const std::unique_ptr<Cursor> cursor, BlocksIn(expected, BlockOf(size_ - 1) + 1));
  for (;; ++expected) {
    const bool is_stored = cursor->Valid() && BlockAt(*cursor) == expected;
    if (!is_stored && !IsPending(expected)) break;
    if (is_stored) cursor->Next();
  }
  BETR_RETURN_IF_ERROR(cursor->status());
  return std::min(size_, std::max(offset, expected * kBlock));
}

}  // namespace betr::fs
