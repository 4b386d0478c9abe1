// SPDX-License-Identifier: Apache-2.0
// Turns changes of content (writes, truncations, holes) into puts, upserts and erases of blocks in "data". All are
// blind.
#pragma once

#include <string_view>

#include "betr/write_batch.h"
#include "fs/record.h"

namespace betr::fs {

uint64_t BlockOf(uint64_t offset);
uint32_t OffsetInBlock(uint64_t offset);

// Writes `bytes` at `offset` of an object whose size is then `size`. Whole blocks are put, and so is the last one if
// all that it holds is given. Other parts of blocks are upserted.
void AddBlockWrites(WriteBatch* batch, TreeId data, std::string_view object, uint64_t offset, std::string_view bytes,
                    uint64_t size);

// Removes all content after `size`.
void AddTruncate(WriteBatch* batch, TreeId data, std::string_view object, uint64_t size);

// Makes [offset, end) read as zero, with holes where whole blocks are.
void AddZeros(WriteBatch* batch, TreeId data, std::string_view object, uint64_t offset, uint64_t end);

// Removes all that belongs to an object except its record.
void EraseAttachments(WriteBatch* batch, TreeId data, std::string_view object, const InodeRecord& record);
// Move or clone all that belongs to an object except its record. Replace what the destination had. Add nothing for a
// record without attachments.
void MoveAttachments(WriteBatch* batch, TreeId data, std::string_view from, std::string_view to,
                     const InodeRecord& record);
void CloneAttachments(WriteBatch* batch, TreeId data, std::string_view from, std::string_view to,
                      const InodeRecord& record);

// Adds an operation of another batch.
void CopyOp(const Op& op, WriteBatch* batch);

}  // namespace betr::fs
