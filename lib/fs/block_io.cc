// SPDX-License-Identifier: Apache-2.0
#include "fs/block_io.h"

#include <algorithm>

#include "base/check.h"
#include "betr/filesystem.h"
#include "fs/block_delta.h"
#include "fs/key.h"

namespace betr::fs {
namespace {

constexpr uint64_t kBlock = kFileBlock.value;
// Up to this many blocks are erased one by one: an erased range is a heavier message than an erased key.
constexpr uint64_t kFewBlocks = 4;

bool HasExternalXattrs(const InodeRecord& record) {
  return std::any_of(record.xattrs.begin(), record.xattrs.end(),
                     [](const XattrRecord& xattr) { return xattr.external; });
}

}  // namespace

uint64_t BlockOf(uint64_t offset) { return offset / kBlock; }

uint32_t OffsetInBlock(uint64_t offset) { return static_cast<uint32_t>(offset % kBlock); }

void AddBlockWrites(WriteBatch* batch, TreeId data, std::string_view object, uint64_t offset, std::string_view bytes,
                    uint64_t size) {
  while (!bytes.empty()) {
    const uint32_t begin = OffsetInBlock(offset);
    const size_t count = std::min<uint64_t>(kBlock - begin, bytes.size());
    const std::string key = key::Block(object, BlockOf(offset));
    if (begin == 0 && (count == kBlock || offset + count >= size)) {
      batch->Put(data, key, bytes.substr(0, count));
    } else {
      batch->Upsert(data, key, kBlockUpsert, EncodeBlockWrite(begin, bytes.substr(0, count)));
    }
    offset += count;
    bytes.remove_prefix(count);
  }
}

void AddTruncate(WriteBatch* batch, TreeId data, std::string_view object, uint64_t size) {
  const uint32_t part = OffsetInBlock(size);
  if (part != 0) batch->Upsert(data, key::Block(object, BlockOf(size)), kBlockUpsert, EncodeBlockTruncate(part));
  batch->EraseRange(data, key::BlocksFrom(object, BlockOf(size + kBlock - 1)));
}

void AddZeros(WriteBatch* batch, TreeId data, std::string_view object, uint64_t offset, uint64_t end) {
  const auto zero = [&](uint64_t from, uint64_t to) {
    if (from >= to) return;
    batch->Upsert(data, key::Block(object, BlockOf(from)), kBlockUpsert,
                  EncodeBlockZero(OffsetInBlock(from), static_cast<uint32_t>(to - from)));
  };
  const uint64_t first = BlockOf(offset + kBlock - 1);  // of the whole blocks
  const uint64_t last = BlockOf(end);
  if (first > last) {
    zero(offset, end);
    return;
  }
  zero(offset, first * kBlock);
  if (first < last) batch->EraseRange(data, key::Blocks(object, first, last));
  zero(last * kBlock, end);
}

void EraseAttachments(WriteBatch* batch, TreeId data, std::string_view object, const InodeRecord& record) {
  if (!record.HasAttachments()) return;
  const uint64_t blocks = BlockOf(record.size + kBlock - 1);
  if (blocks > kFewBlocks || HasExternalXattrs(record)) {
    batch->EraseRange(data, Range::Prefix(key::Attachments(object)));
    return;
  }
  for (uint64_t block = 0; block < blocks; ++block) batch->Erase(data, key::Block(object, block));
}

void MoveAttachments(WriteBatch* batch, TreeId data, std::string_view from, std::string_view to,
                     const InodeRecord& record) {
  if (record.HasAttachments()) batch->RenamePrefix(data, key::Attachments(from), data, key::Attachments(to));
}

void CloneAttachments(WriteBatch* batch, TreeId data, std::string_view from, std::string_view to,
                      const InodeRecord& record) {
  if (record.HasAttachments()) batch->ClonePrefix(data, key::Attachments(from), data, key::Attachments(to));
}

void CopyOp(const Op& op, WriteBatch* batch) {
  switch (op.kind) {
    case OpKind::kPut:
      return batch->Put(op.tree, op.key, op.value);
    case OpKind::kErase:
      return batch->Erase(op.tree, op.key);
    case OpKind::kUpsert:
      return batch->Upsert(op.tree, op.key, op.function, op.value);
    case OpKind::kEraseRange:
      return batch->EraseRange(op.tree, op.range);
    case OpKind::kClonePrefix:
      return batch->ClonePrefix(op.tree, op.key, op.to_tree, op.value);
    case OpKind::kRenamePrefix:
      return batch->RenamePrefix(op.tree, op.key, op.to_tree, op.value);
    default:
      Check(false, "the file system only writes keys");
  }
}

}  // namespace betr::fs
