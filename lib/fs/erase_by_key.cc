// SPDX-License-Identifier: Apache-2.0
#include "fs/erase_by_key.h"

#include <algorithm>
#include <span>
#include <vector>

#include "base/status.h"
#include "fs/block_io.h"
#include "fs/pending_erases.h"

namespace betr::fs {
namespace {

// Whether any of the operations brings something into the range.
bool FillAny(std::span<const Op> ops, const Op& erase) {
  return std::any_of(ops.begin(), ops.end(), [&](const Op& op) {
    switch (op.kind) {
      case OpKind::kPut:
      case OpKind::kUpsert:
        return op.tree == erase.tree && erase.range.Contains(op.key);
      case OpKind::kClonePrefix:
      case OpKind::kRenamePrefix:
        return op.to_tree == erase.tree && erase.range.Overlaps(Range::Prefix(op.value));
      default:
        return false;
    }
  });
}

// Adds erases of the keys in the range. False if they, with the `added` bytes of others, are too many for a batch; then
// nothing is added.
absl::StatusOr<bool> AddErases(Core& core, const Op& erase, WriteBatch* batch, Bytes* added) {
  BETR_ASSIGN_OR_RETURN(const auto cursor, core.store().NewCursor(erase.tree, erase.range));
  WriteBatch erases;
  for (cursor->SeekToFirst(); cursor->Valid(); cursor->Next()) {
    if ((*added + erases.Size()).value >= core.batch_bytes()) return false;
    erases.Erase(erase.tree, cursor->Key());
  }
  BETR_RETURN_IF_ERROR(cursor->status());
  for (const Op& op : erases.ops()) CopyOp(op, batch);
  *added += erases.Size();
  return true;
}

}  // namespace

bool WantsErasesByKey(const Core& core, const WriteBatch& batch) {
  return core.store().Options().experiments.delete_by_key &&
         std::any_of(batch.ops().begin(), batch.ops().end(),
                     [](const Op& op) { return op.kind == OpKind::kEraseRange; });
}

absl::Status WriteWithErasesByKey(Core& core, const WriteBatch& batch) {
  const std::span<const Op> ops = batch.ops();
  WriteBatch by_key;
  if (batch.may_use_reserve()) by_key.MayUseReserve();
  std::vector<TreeRange> later;
  Bytes added{0};
  for (size_t i = 0; i < ops.size(); ++i) {
    if (ops[i].kind != OpKind::kEraseRange || FillAny(ops.first(i), ops[i])) {
      CopyOp(ops[i], &by_key);
      continue;
    }
    BETR_ASSIGN_OR_RETURN(const bool fits, AddErases(core, ops[i], &by_key, &added));
    if (fits) continue;
    if (FillAny(ops.subspan(i), ops[i])) {
      CopyOp(ops[i], &by_key);
    } else {
      later.push_back({ops[i].tree, ops[i].range});
    }
  }
  if (!later.empty()) PutErases(core, later, &by_key);
  BETR_RETURN_IF_ERROR(core.store().Write(by_key));
  return later.empty() ? absl::OkStatus() : EraseKeys(core, later);
}

}  // namespace betr::fs
