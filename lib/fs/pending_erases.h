// SPDX-License-Identifier: Apache-2.0
// Ranges that are erased key by key in more than one batch, by the experiments that do so (copying_mover.h,
// erase_by_key.h). A record at key::kErasesKey names them meanwhile. It is written in the batch that makes what is in
// them garbage, so a crash in between leaves nothing but garbage, which the next mount erases.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fs/core.h"

namespace betr::fs {

struct TreeRange {
  TreeId tree;  // meta or data
  Range range;
};

// Convert ranges to the record that names them, and back. Errors: kDataLoss if it is no such record, or if a range has
// the root's record in it, as that of the whole file system would.
std::string EncodeErases(TreeId meta, std::span<const TreeRange> ranges);
absl::StatusOr<std::vector<TreeRange>> DecodeErases(TreeId meta, TreeId data, std::string_view record);

// Adds the record.
void PutErases(const Core& core, std::span<const TreeRange> ranges, WriteBatch* batch);

// Erases what is in the ranges key by key, then the record. What there is no space to erase by key is erased by range.
// Errors: the store's.
absl::Status EraseKeys(Core& core, std::span<const TreeRange> ranges);

// If there is a record, erases by range what it names, then the record. To be called when mounting. Errors: kDataLoss
// if it is no such record; the store's.
absl::Status FinishErases(Core& core);

}  // namespace betr::fs
