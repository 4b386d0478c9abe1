// SPDX-License-Identifier: Apache-2.0
// Replays the log: each record is a batch that was written once, and is applied again.
#include <fmt/format.h>

#include <utility>
#include <vector>

#include "base/status.h"
#include "store/batch_codec.h"
#include "store/impl.h"
#include "store/upsert_names.h"

namespace betr {

// Makes stable what was replayed so far. The log is not open yet, so the checkpoint keeps the log's position; a later
// replay skips the records up to `last`.
absl::Status Store::Impl::CheckpointReplayed(Lsn last) {
  BETR_ASSIGN_OR_RETURN(store::StatePtr state, structure_.Drain());
  const layout::Superblock& opened = core_->superblock;
  return checkpointer_
      .Write({std::move(state), last, {opened.log_head, opened.log_chain}, ++checkpoints_begun_, functions_in_use_})
      .status();
}

absl::Status Store::Impl::Replay(Lsn lsn, std::string_view record) {
  const MutexLock lock(write_mutex_);
  BETR_ASSIGN_OR_RETURN(std::vector<Op> ops, store::DecodeBatch(record));
  BETR_RETURN_IF_ERROR(CheckOps(ops));
  const bool read_only = core_->options.read_only;
  // If the store is read-only, messages of such a function stay what they are. The error is of no kind that ends a log
  // (repair_image.h).
  if (const auto unknown = store::UnknownFunction(ops, core_->options.functions); unknown && !read_only) {
    return absl::FailedPreconditionError(
        fmt::format("the log uses upsert function {}, which this program does not know: "
                    "the image can only be opened read-only",
                    *unknown));
  }
  const auto have_space = [&](const store::State& after, const store::Pledge& pledge, std::span<const Op> /*plain*/) {
    return read_only ? absl::OkStatus() : HaveSpace(after, pledge, store::Purpose::kShrink);
  };
  absl::Status applied = ApplyOps(ops, have_space);
  if (absl::IsResourceExhausted(applied)) {
    const absl::Status checkpoint = CheckpointReplayed(Lsn{lsn.value - 1});
    if (!absl::IsResourceExhausted(checkpoint)) {  // otherwise the store opens all the same, to be read at least
      BETR_RETURN_IF_ERROR(checkpoint);
    }
    const auto let_in = [](const store::State&, const store::Pledge&, std::span<const Op>) { return absl::OkStatus(); };
    applied = ApplyOps(ops, let_in);
  }
  BETR_RETURN_IF_ERROR(applied);
  NoteWork(ops);
  const bool sealed = fronts_.SealLarge(core_->SealSize());
  if (core_->options.read_only) return absl::OkStatus();
  absl::Status worked = sealed ? WorkInline() : structure_.Step().status();
  if (worked.ok()) {
    worked = WriteDirty();  // structural batches make nodes, but leave nothing to be sealed
  }
  // Work for which there is no space waits for the first checkpoint.
  return absl::IsResourceExhausted(worked) ? absl::OkStatus() : worked;
}

store::FunctionNames Store::Impl::UnknownFunctions() {
  const MutexLock lock(write_mutex_);
  return store::UnknownAmong(functions_in_use_, core_->options.functions);
}

}  // namespace betr
