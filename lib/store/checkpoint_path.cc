// SPDX-License-Identifier: Apache-2.0
// How all that was written becomes durable: by checkpoints, which run beside writers or hold them, and by syncs of the
// log. What a checkpoint writes is in checkpoint.cc. When one is due is in background.cc.
#include <optional>
#include <utility>

#include "base/clock.h"
#include "base/status.h"
#include "store/impl.h"

namespace betr {

absl::StatusOr<store::Checkpointer::Begin> Store::Impl::BeginCheckpoint() {
  BETR_ASSIGN_OR_RETURN(store::StatePtr state, structure_.Drain());
  log_used_before_ = log_->Used().value;
  return store::Checkpointer::Begin{std::move(state), log_->LastLsn(), log_->Mark(), ++checkpoints_begun_,
                                    functions_in_use_};
}

absl::Status Store::Impl::FinishCheckpoint(store::Checkpointer::Begin&& begun) {
  const MutexLock turn(checkpoint_mutex_);
  const store::Checkpointer::Begin begin = std::move(begun);  // its state keeps space until the turn ends
  const absl::StatusOr<bool> is_new = checkpointer_.Write(begin);
  if (!is_new.ok()) {
    if (!absl::IsResourceExhausted(is_new.status())) core_->health.Fail(is_new.status());
    return is_new.status();
  }
  log_->Free({begin.log, begin.lsn});
  LogIsRelieved();
  if (*is_new) {
    last_checkpoint_ns_ = SystemClock().Monotonic().count();
    signals_.Signal();  // there may be space. Not otherwise: the thread that found none would wake itself for ever
  }
  return absl::OkStatus();
}

absl::Status Store::Impl::Checkpoint() {
  if (core_->options.read_only) return absl::OkStatus();
  BETR_RETURN_IF_ERROR(core_->health.status());
  // Absorbs buffers beforehand. So writers are held for a shorter time, and less is written in roots and then again
  // below them. Buffers for which there is no space beside the old roots are drained with the rest.
  const absl::Status absorbed = structure_.AbsorbBuffers(signals_);
  if (!absl::IsResourceExhausted(absorbed)) BETR_RETURN_IF_ERROR(absorbed);
  std::optional<store::Signals::Checkpointing> under_way;  // outlives `begin`, which keeps space
  absl::StatusOr<store::Checkpointer::Begin> begin;
  {
    const MutexLock lock(write_mutex_);
    under_way.emplace(signals_);
    begin = BeginCheckpoint();
  }
  BETR_RETURN_IF_ERROR(begin.status());
  return FinishCheckpoint(*std::move(begin));
}

absl::Status Store::Impl::CheckpointHoldingWriters() {
  BETR_ASSIGN_OR_RETURN(store::Checkpointer::Begin begin, BeginCheckpoint());
  return FinishCheckpoint(std::move(begin));
}

absl::Status Store::Impl::MakeLogRoom(Bytes record) {
  const auto is_full = [&] { return log_->Used() + record + KiB(8) > log_->Size(); };
  if (!is_full()) return absl::OkStatus();
  {
    const MutexLock turn(checkpoint_mutex_);  // a checkpoint that is under way may suffice
  }
  return is_full() ? CheckpointHoldingWriters() : absl::OkStatus();
}

absl::Status Store::Impl::Sync() {
  if (core_->options.read_only) return absl::OkStatus();
  BETR_RETURN_IF_ERROR(core_->health.status());
  if (!Logged()) return Checkpoint();
  absl::Status status = log_->Sync().status();
  CountLogMemory();
  if (status.ok()) return status;
  const absl::Status failed = log_->status();
  if (failed.ok()) return Checkpoint();  // the log has a gap
  core_->health.Fail(failed);
  return failed;
}

}  // namespace betr
