// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cerrno>
#include <cstring>

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

// Copies what a block and a buffer have in common. `buffer` begins at `offset` of the file.
void CopyBlock(uint64_t block, std::string_view bytes, uint64_t offset, std::span<char> buffer) {
  const uint64_t begin = std::max(block * kBlock, offset);
  const uint64_t end = std::min({block * kBlock + bytes.size(), block * kBlock + kBlock, offset + buffer.size()});
  if (begin >= end) return;
  std::memcpy(buffer.data() + (begin - offset), bytes.data() + (begin - block * kBlock), end - begin);
}

}  // namespace

ContentView::ContentView(Core& core, Inode& inode)
    : store_(&core.store()),
      data_(core.data()),
      view_(core.store().Pin()),
      object_(inode.place == InodePlace::kGone ? std::string() : core.ObjectOf(inode)),
      size_(inode.place == InodePlace::kGone ? 0 : inode.record.size) {}

absl::StatusOr<ContentView> ContentView::Of(Core& core, Inode& inode) {
  BETR_RETURN_IF_ERROR(CheckRegular(inode));
  BETR_RETURN_IF_ERROR(core.FlushFor(inode));
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
  const uint64_t first = BlockOf(offset);
  const uint64_t last = BlockOf(offset + buffer.size() - 1) + 1;
  if (last - first == 1) {
    BETR_ASSIGN_OR_RETURN(const std::optional<std::string> block,
                          store_->Get(*view_, data_, key::Block(object_, first)));
    if (block) CopyBlock(first, *block, offset, buffer);
    return buffer.size();
  }
  BETR_ASSIGN_OR_RETURN(const std::unique_ptr<Cursor> cursor, BlocksIn(first, last));
  for (; cursor->Valid(); cursor->Next()) CopyBlock(BlockAt(*cursor), cursor->Value(), offset, buffer);
  BETR_RETURN_IF_ERROR(cursor->status());
  return buffer.size();
}

absl::StatusOr<uint64_t> ContentView::SeekData(uint64_t offset) const {
  if (offset >= size_) return ErrnoError(ENXIO, "no data behind this offset");
  BETR_ASSIGN_OR_RETURN(const std::unique_ptr<Cursor> cursor, BlocksIn(BlockOf(offset), BlockOf(size_ - 1) + 1));
  BETR_RETURN_IF_ERROR(cursor->status());
  if (!cursor->Valid()) return ErrnoError(ENXIO, "no data behind this offset");
  return std::max(offset, BlockAt(*cursor) * kBlock);
}

absl::StatusOr<uint64_t> ContentView::SeekHole(uint64_t offset) const {
  if (offset >= size_) return ErrnoError(ENXIO, "no hole behind this offset");
  uint64_t expected = BlockOf(offset);
  BETR_ASSIGN_OR_RETURN(const std::unique_ptr<Cursor> cursor, BlocksIn(expected, BlockOf(size_ - 1) + 1));
  for (; cursor->Valid() && BlockAt(*cursor) == expected; cursor->Next()) ++expected;
  BETR_RETURN_IF_ERROR(cursor->status());
  return std::min(size_, std::max(offset, expected * kBlock));
}

}  // namespace betr::fs
