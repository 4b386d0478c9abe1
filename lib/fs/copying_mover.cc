// SPDX-License-Identifier: Apache-2.0
#include "fs/copying_mover.h"

#include <utility>

#include "base/status.h"
#include "fs/block_io.h"
#include "fs/names.h"
#include "fs/pending_erases.h"

namespace betr::fs {
namespace {

std::string Moved(const PrefixMove& move, std::string_view key) {
  return move.to + std::string(key.substr(move.from.size()));
}

std::vector<TreeRange> RangesOf(const std::vector<PrefixMove>& moves, std::string PrefixMove::*prefix) {
  std::vector<TreeRange> ranges;
  ranges.reserve(moves.size());
  for (const PrefixMove& move : moves) ranges.push_back({move.tree, Range::Prefix(move.*prefix)});
  return ranges;
}

}  // namespace

CopyingMover::CopyingMover(Core* core, std::vector<PrefixMove> moves) : core_(*core), moves_(std::move(moves)) {}

CopyingMover::~CopyingMover() {
  // If it fails, the store is read-only, and the next mount does it.
  if (copied_) static_cast<void>(FinishErases(core_));
}

absl::Status CopyingMover::Prepare(Slot* to) {
  BETR_RETURN_IF_ERROR(core_.Flush());  // what is pending is copied too
  BETR_ASSIGN_OR_RETURN(const bool small, ReadAll());
  if (small) return absl::OkStatus();
  erases_.Clear();
  puts_.Clear();
  if (to->inode != nullptr) {
    BETR_RETURN_IF_ERROR(to->inode->IsDirectory() ? RemoveDirectory(core_, *to->directory, to->name)
                                                  : Unlink(core_, *to->directory, to->name));
    to->inode = nullptr;
  }
  WriteBatch record;
  PutErases(core_, RangesOf(moves_, &PrefixMove::to), &record);
  BETR_RETURN_IF_ERROR(core_.store().Write(record));
  copied_ = true;
  return CopyAll();
}

absl::StatusOr<bool> CopyingMover::ReadAll() {
  for (const PrefixMove& move : moves_) {
    BETR_ASSIGN_OR_RETURN(const auto cursor, core_.store().NewCursor(move.tree, Range::Prefix(move.from)));
    for (cursor->SeekToFirst(); cursor->Valid(); cursor->Next()) {
      erases_.Erase(move.tree, cursor->Key());
      puts_.Put(move.tree, Moved(move, cursor->Key()), cursor->Value());
      if ((erases_.Size() + puts_.Size()).value > core_.batch_bytes()) return false;
    }
    BETR_RETURN_IF_ERROR(cursor->status());
  }
  return true;
}

absl::Status CopyingMover::CopyAll() {
  WriteBatch batch;
  for (const PrefixMove& move : moves_) {
    BETR_ASSIGN_OR_RETURN(const auto cursor, core_.store().NewCursor(move.tree, Range::Prefix(move.from)));
    for (cursor->SeekToFirst(); cursor->Valid(); cursor->Next()) {
      batch.Put(move.tree, Moved(move, cursor->Key()), cursor->Value());
      if (batch.Size().value < core_.batch_bytes()) continue;
      BETR_RETURN_IF_ERROR(core_.store().Write(batch));
      batch.Clear();
    }
    BETR_RETURN_IF_ERROR(cursor->status());
  }
  return batch.Empty() ? absl::OkStatus() : core_.store().Write(batch);
}

void CopyingMover::AddTo(WriteBatch* batch) {
  if (copied_) {
    PutErases(core_, RangesOf(moves_, &PrefixMove::from), batch);
    return;
  }
  for (const Op& op : erases_.ops()) CopyOp(op, batch);
  for (const Op& op : puts_.ops()) CopyOp(op, batch);
}

absl::Status CopyingMover::Finish() {
  if (!std::exchange(copied_, false)) return absl::OkStatus();
  return EraseKeys(core_, RangesOf(moves_, &PrefixMove::from));
}

}  // namespace betr::fs
