// SPDX-License-Identifier: Apache-2.0
// Checkpoints and the work that goes on beside readers and writers.
#include <fmt/format.h>

#include <algorithm>

#include "base/clock.h"
#include "base/escape.h"
#include "base/status.h"
#include "store/impl.h"

namespace betr {
namespace {

// How long nobody has written anything before checkpoints give back the space of what was erased.
constexpr std::chrono::milliseconds kQuiet{5000};
constexpr std::chrono::milliseconds kQuietIfShort{1000};
constexpr std::chrono::milliseconds kQuietIfAsked{200};
// When a thread that has found no space for its work looks again by itself: readers who keep space end without a word.
constexpr std::chrono::nanoseconds kFirstRetry = std::chrono::milliseconds(20);
constexpr std::chrono::nanoseconds kLastRetry = std::chrono::seconds(60);

}  // namespace

absl::StatusOr<store::Checkpointer::Begin> Store::Impl::BeginCheckpoint() {
  BETR_ASSIGN_OR_RETURN(store::StatePtr state, structure_.Drain());
  log_used_before_ = log_->Used().value;
  return store::Checkpointer::Begin{std::move(state), log_->LastLsn(), log_->Mark(), ++checkpoints_begun_,
                                    functions_in_use_};
}

absl::Status Store::Impl::FinishCheckpoint(const store::Checkpointer::Begin& begin) {
  const MutexLock turn(checkpoint_mutex_);
  const absl::StatusOr<bool> is_new = checkpointer_.Write(begin);
  if (!is_new.ok()) {
    if (!absl::IsResourceExhausted(is_new.status())) {
      core_->health.Fail(is_new.status());
    }
    return is_new.status();
  }
  log_->Free({begin.log, begin.lsn});
  CountLogMemory();
  last_checkpoint_ns_ = SystemClock().Monotonic().count();
  if (*is_new) {
    Signal();  // there may be space; or else the thread that has found none would wake itself for ever
  }
  return absl::OkStatus();
}

absl::Status Store::Impl::Checkpoint() {
  if (core_->options.read_only) {
    return absl::OkStatus();
  }
  BETR_RETURN_IF_ERROR(core_->health.status());
  // Writers are held for a shorter time, and less is written in roots and then again below. What there is no space for
  // beside the old roots is drained with the rest.
  const absl::Status absorbed = structure_.AbsorbBuffers();
  if (!absl::IsResourceExhausted(absorbed)) {
    BETR_RETURN_IF_ERROR(absorbed);
  }
  absl::Status status = CheckpointBesideWriters();
  // Its state is gone, too, by now: whoever has waited for that finds the space that it kept.
  const MutexLock lock(wake_mutex_);
  --checkpoints_under_way_;
  wake_.NotifyAll();
  return status;
}

absl::Status Store::Impl::CheckpointBesideWriters() {
  absl::StatusOr<store::Checkpointer::Begin> begin;
  {
    const MutexLock lock(write_mutex_);
    {
      const MutexLock wake_lock(wake_mutex_);
      ++checkpoints_under_way_;
    }
    begin = BeginCheckpoint();
  }
  BETR_RETURN_IF_ERROR(begin.status());
  return FinishCheckpoint(*begin);
}

absl::Status Store::Impl::CheckpointHoldingWriters() {
  BETR_ASSIGN_OR_RETURN(const store::Checkpointer::Begin begin, BeginCheckpoint());
  return FinishCheckpoint(begin);
}

absl::Status Store::Impl::MakeLogRoom(Bytes record) {
  const auto is_full = [&] { return log_->Used() + record + KiB(8) > log_->Size(); };
  if (!is_full()) {
    return absl::OkStatus();
  }
  {
    const MutexLock turn(checkpoint_mutex_);  // one that is under way may be all that it takes
  }
  return is_full() ? CheckpointHoldingWriters() : absl::OkStatus();
}

absl::Status Store::Impl::Sync() {
  if (core_->options.read_only) {
    return absl::OkStatus();
  }
  BETR_RETURN_IF_ERROR(core_->health.status());
  if (!Logged()) {
    return Checkpoint();
  }
  absl::Status status = log_->Sync().status();
  if (!status.ok()) {
    core_->health.Fail(status);
  }
  return status;
}

absl::Status Store::Impl::Compact(TreeId tree) {
  const store::StatePtr state = fronts_.state();
  const store::Tree* found = state->trees.Find(tree);
  if (found != nullptr && found->snapshot) {
    return absl::InvalidArgumentError(fmt::format("tree \"{}\": a snapshot is read-only", Escape(found->name)));
  }
  if (core_->options.read_only) {
    return absl::FailedPreconditionError(fmt::format("{}: opened read-only", core_->device->Name()));
  }
  BETR_RETURN_IF_ERROR(Checkpoint());  // what is in front of the root goes into it
  for (std::optional<Bound> next = Range::All().lo; next;) {
    BETR_RETURN_IF_ERROR(MayWrite());
    absl::StatusOr<std::optional<Bound>> step = structure_.CompactStep(tree, *next);
    if (absl::IsResourceExhausted(step.status())) {
      BETR_RETURN_IF_ERROR(Checkpoint());  // what was replaced since the last one becomes free
      step = structure_.CompactStep(tree, *next);
    }
    BETR_ASSIGN_OR_RETURN(next, std::move(step));
    BETR_RETURN_IF_ERROR(WriteDirtyOrCheckpoint());
  }
  Signal();
  return absl::OkStatus();
}

void Store::Impl::Signal() {
  const MutexLock lock(wake_mutex_);
  ++signals_;
  wake_.NotifyAll();
}

Bytes Store::Impl::LogMemory() const {
  const Bytes wanted = core_->options.log_memory;
  return std::min(wanted > Bytes{0} ? wanted : std::min(core_->cache->Budget() / 2, MiB(64)), log_->Size() / 4);
}

bool Store::Impl::CheckpointIsCheap() const {
  // Roots and what is on the way to the changes will be written again.
  const bool spares_much = log_->Held() >= core_->shape.node_size * 2;
  return spares_much && core_->cache->Dirty() + fronts_.Size() <= log_->Used() * 3 / 2;
}

bool Store::Impl::CheckpointDue() const {
  if (log_->Used() > log_->Size() / 2 || (LogIsCrowded() && CheckpointIsCheap())) {
    return true;
  }
  const std::chrono::nanoseconds period = core_->options.checkpoint_period;
  const std::chrono::nanoseconds since =
      SystemClock().Monotonic() - std::chrono::nanoseconds(last_checkpoint_ns_.load());
  return period.count() > 0 && since >= period;
}

// While nobody writes, what was erased is not left to the next checkpoint that is due by itself: who asks how much
// space there is would remove more and more.
bool Store::Impl::FreeingDue() const {
  if (freeing_ == 0 || core_->options.checkpoint_period.count() == 0) {
    return false;
  }
  const std::chrono::milliseconds quiet = space_asked_                ? kQuietIfAsked
                                          : structure_.SpaceIsShort() ? kQuietIfShort
                                                                      : kQuiet;
  const std::chrono::nanoseconds last(std::max(last_write_ns_.load(), last_checkpoint_ns_.load()));
  return SystemClock().Monotonic() - last >= quiet;
}

absl::Status Store::Impl::CheckpointToFree() {
  const int left = freeing_.exchange(0);
  BETR_RETURN_IF_ERROR(Checkpoint());
  int none = 0;  // unless something was erased meanwhile
  freeing_.compare_exchange_strong(none, structure_.DeadNodes() > 0 ? left : left - 1);
  space_asked_ = space_asked_ && freeing_ > 0;
  return absl::OkStatus();
}

absl::Status Store::Impl::WriteDirty() {
  BETR_RETURN_IF_ERROR(core_->health.status());
  if (core_->cache->Dirty() <= core_->DirtySoftLimit()) {
    return absl::OkStatus();
  }
  BETR_RETURN_IF_ERROR(checkpointer_.BeginWriting());
  Bytes target = core_->DirtySoftLimit() / 4 * 3;
  if (core_->options.background) {
    // In portions, between which it is seen whether a checkpoint is due.
    constexpr Bytes kPortion = MiB(64);
    const Bytes dirty = core_->cache->Dirty();
    target = std::max(target, dirty - std::min(kPortion, dirty));
  }
  BETR_ASSIGN_OR_RETURN(const Bytes bytes, core_->io->WriteOldest(target));
  core_->counters.bytes_eviction += bytes.value;
  return absl::OkStatus();
}

absl::Status Store::Impl::WriteDirtyOrCheckpoint() {
  absl::Status written = WriteDirty();
  if (absl::IsResourceExhausted(written)) {
    return Checkpoint();
  }
  if (!written.ok()) {
    core_->health.Fail(written);
  }
  return written;
}

absl::Status Store::Impl::WorkAll() {
  for (bool more = true; more;) {
    BETR_ASSIGN_OR_RETURN(more, structure_.Step());
    BETR_RETURN_IF_ERROR(WriteDirty());
  }
  return absl::OkStatus();
}

absl::Status Store::Impl::WorkInline() {
  absl::Status status = WorkAll();
  if (absl::IsResourceExhausted(status) && log_ != nullptr) {
    BETR_RETURN_IF_ERROR(CheckpointHoldingWriters());
    status = WorkAll();
  }
  if (status.ok() && log_ != nullptr && LogIsCrowded()) {
    status = CheckpointIsCheap() ? CheckpointHoldingWriters() : log_->WriteOut();
  }
  return absl::IsResourceExhausted(status) ? absl::OkStatus() : status;
}

absl::Status Store::Impl::Settle() {
  const bool thorough = erased_.load() && structure_.SpaceIsShort();
  if (!unsettled_.load() && structure_.DeadNodes() == 0 && !thorough) {
    return absl::OkStatus();
  }
  const auto until = SystemClock().Monotonic() + core_->options.settle_time;
  {
    // What is still in front of the roots hides as much as what is in them.
    const MutexLock lock(write_mutex_);
    BETR_RETURN_IF_ERROR(structure_.Drain().status());
  }
  structure_.Look(dag::Reach::kDisk);
  const store::Structure::Last last{thorough ? dag::Effort::kErases : dag::Effort::kFrugal, store::Purpose::kGrow};
  for (bool more = true; more && SystemClock().Monotonic() < until;) {
    absl::StatusOr<bool> step = structure_.Step(store::Purpose::kGrow, last);
    if (absl::IsResourceExhausted(step.status())) {
      BETR_RETURN_IF_ERROR(Checkpoint());
      step = structure_.Step(store::Purpose::kGrow, last);
    }
    if (absl::IsResourceExhausted(step.status())) {
      return absl::OkStatus();
    }
    BETR_ASSIGN_OR_RETURN(more, step);
    BETR_RETURN_IF_ERROR(WriteDirtyOrCheckpoint());
  }
  return absl::OkStatus();
}

void Store::Impl::StartThreads() {
  last_checkpoint_ns_ = SystemClock().Monotonic().count();
  if (core_->options.background && !core_->options.read_only) {
    structure_thread_ = std::thread([this] { StructureLoop(); });
    writer_thread_ = std::thread([this] { WriterLoop(); });
    Signal();  // what was replayed may be more than fits
  }
}

void Store::Impl::StopThreads() {
  {
    const MutexLock lock(wake_mutex_);
    stopping_ = true;
    wake_.NotifyAll();
  }
  if (structure_thread_.joinable()) {
    structure_thread_.join();
  }
  if (writer_thread_.joinable()) {
    writer_thread_.join();
  }
}

bool Store::Impl::WaitForWork(uint64_t& seen, std::chrono::nanoseconds& retry) {
  const std::chrono::nanoseconds until = SystemClock().Monotonic() + retry;
  MutexLock lock(wake_mutex_);
  while (!stopping_ && (structure_paused_ || signals_ == seen)) {
    const std::chrono::nanoseconds left = until - SystemClock().Monotonic();
    if (structure_paused_ || !structure_stuck_) {
      wake_.Wait(lock);
    } else if (left.count() > 0) {
      wake_.WaitFor(lock, left);
    } else {
      break;
    }
  }
  // Where others do something there may be space any time.
  retry = signals_ == seen ? std::min(2 * retry, kLastRetry) : kFirstRetry;
  seen = signals_;
  structure_stuck_ = false;
  return !stopping_;
}

void Store::Impl::StructureLoop() {
  uint64_t seen = 0;
  std::chrono::nanoseconds retry = kFirstRetry;
  while (WaitForWork(seen, retry)) {
    for (bool more = true; more;) {
      if (!core_->health.status().ok()) {
        return;
      }
      absl::StatusOr<bool> step = structure_.Step();
      if (absl::IsResourceExhausted(step.status())) {
        const absl::Status checkpoint = Checkpoint();
        step = checkpoint.ok() ? structure_.Step() : checkpoint;
      }
      if (absl::IsResourceExhausted(step.status())) {
        const MutexLock lock(wake_mutex_);
        structure_stuck_ = true;
        wake_.NotifyAll();
        break;
      }
      if (!step.ok()) {
        core_->health.Fail(step.status());
        return;
      }
      more = *step;
      MutexLock lock(wake_mutex_);
      wake_.NotifyAll();
      if (stopping_) {
        return;
      }
      // The writer must keep up, or dirty memory grows without bound.
      while (!stopping_ &&
             (structure_paused_ || (core_->cache->Dirty() > core_->DirtyHardLimit() && core_->health.status().ok()))) {
        wake_.WaitFor(lock, std::chrono::milliseconds(10));
      }
    }
  }
}

void Store::Impl::WriterLoop() {
  for (;;) {
    {
      MutexLock lock(wake_mutex_);
      const bool is_due = CheckpointDue() || FreeingDue() || LogIsCrowded();
      if (!stopping_ && core_->cache->Dirty() <= core_->DirtySoftLimit() && !is_due) {
        wake_.WaitFor(lock, std::chrono::milliseconds(200));
      }
      if (stopping_) {
        return;
      }
    }
    absl::Status status = WriteDirty();
    if (absl::IsResourceExhausted(status) || (status.ok() && CheckpointDue())) {
      // A checkpoint may use the reserve, and frees what was replaced since the last one.
      status = Checkpoint();
      last_checkpoint_ns_ = SystemClock().Monotonic().count();
    } else if (status.ok() && LogIsCrowded()) {
      status = WriteOutLog();
    } else if (status.ok() && FreeingDue()) {
      status = CheckpointToFree();
    }
    if (!status.ok()) {
      core_->health.Fail(status);
      Signal();
      return;
    }
    const MutexLock lock(wake_mutex_);
    wake_.NotifyAll();
  }
}

}  // namespace betr
