// SPDX-License-Identifier: Apache-2.0
// Content as blocks of "data": which puts, upserts and erases a write, a truncation, a hole become. All blind.
#pragma once

#include <string_view>

#include "betr/write_batch.h"
#include "fs/record.h"

namespace betr::fs {

uint64_t BlockOf(uint64_t offset);
uint32_t OffsetInBlock(uint64_t offset);

// `bytes` at `offset` of an object whose size is then `size`: puts of whole blocks, and of the last one if all that it
// holds is given; upserts for other parts of blocks.
void AddBlockWrites(WriteBatch* batch, TreeId data, std::string_view object, uint64_t offset, std::string_view bytes,
                    uint64_t size);

// Removes all content behind `size`.
void AddTruncate(WriteBatch* batch, TreeId data, std::string_view object, uint64_t size);

// Makes [offset, end) read as zero, with holes where whole blocks are.
void AddZeros(WriteBatch* batch, TreeId data, std::string_view object, uint64_t offset, uint64_t end);

// Removes all that belongs to an object but its record.
void EraseAttachments(WriteBatch* batch, TreeId data, std::string_view object, const InodeRecord& record);
// Moves (clones) it, replacing what the destination had. Nothing to do for a record without attachments.
void MoveAttachments(WriteBatch* batch, TreeId data, std::string_view from, std::string_view to,
                     const InodeRecord& record);
void CloneAttachments(WriteBatch* batch, TreeId data, std::string_view from, std::string_view to,
                      const InodeRecord& record);

// Adds an operation of another batch.
void CopyOp(const Op& op, WriteBatch* batch);

}  // namespace betr::fs
