// SPDX-License-Identifier: Apache-2.0
// The work that goes on beside readers and writers, and the threads that do it.
#include <fmt/format.h>

#include <algorithm>
#include <system_error>

#include "base/clock.h"
#include "base/status.h"
#include "store/impl.h"

namespace betr {
namespace {

// The most batches that go by before work for which there was no space is tried again. A try looks at all that waits,
// and makes a checkpoint.
constexpr uint64_t kLongestRest = 1024;

}  // namespace

// Holds no state from one step to the next, or nothing that is replaced would come back meanwhile.
absl::Status Store::Impl::Compact(TreeId tree) {
  BETR_RETURN_IF_ERROR(MayWriteTo(tree));
  BETR_RETURN_IF_ERROR(Checkpoint());  // moves what is in front of the root into it
  for (std::optional<Bound> next = Range::All().lo; next;) {
    BETR_RETURN_IF_ERROR(CheckOpen());
    const auto compact = [&] {
      const store::Signals::Step step(signals_);
      return structure_.CompactStep(tree, *next);
    };
    absl::StatusOr<std::optional<Bound>> step = compact();
    if (absl::IsResourceExhausted(step.status())) {
      BETR_RETURN_IF_ERROR(Checkpoint());  // frees what was replaced since the last one
      step = compact();
    }
    BETR_ASSIGN_OR_RETURN(next, std::move(step));
    BETR_RETURN_IF_ERROR(WriteDirtyOrCheckpoint());
  }
  signals_.Signal();
  return absl::OkStatus();
}

bool Store::Impl::CheckpointDue() const {
  if (log_->Used() > log_->Size() / 2 || (LogIsCrowded() && HowToRelieveLog() == LogRelief::kCheckpoint)) return true;
  const std::chrono::nanoseconds period = core_->options.checkpoint_period;
  const std::chrono::nanoseconds since =
      SystemClock().Monotonic() - std::chrono::nanoseconds(last_checkpoint_ns_.load());
  return period.count() > 0 && since >= period;
}

absl::Status Store::Impl::WriteDirty() {
  BETR_RETURN_IF_ERROR(core_->health.status());
  if (core_->cache->Dirty() <= core_->DirtySoftLimit()) return absl::OkStatus();
  BETR_RETURN_IF_ERROR(checkpointer_.BeginWriting());
  Bytes target = core_->DirtySoftLimit() / 4 * 3;
  if (core_->options.background) {
    // Writes in portions, so that the caller sees in between whether a checkpoint is due.
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
  if (absl::IsResourceExhausted(written)) return Checkpoint();
  if (!written.ok()) core_->health.Fail(written);
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
  if (rest_ > 0 && log_ != nullptr && !IsCrowded()) {  // log_ is null during replay
    --rest_;
    return KeepLogSmall();
  }
  absl::Status status = WorkAll();
  if (absl::IsResourceExhausted(status) && log_ != nullptr) {
    BETR_RETURN_IF_ERROR(CheckpointHoldingWriters());
    status = WorkAll();
  }
  if (absl::IsResourceExhausted(status)) {
    rest_ = next_rest_;
    next_rest_ = std::min(2 * next_rest_, kLongestRest);
  } else {
    next_rest_ = 1;
    BETR_RETURN_IF_ERROR(status);
  }
  return KeepLogSmall();
}

absl::Status Store::Impl::KeepUp() {
  for (int steps = store::Backlog::kSteps; steps > 0 && structure_.IsFarBehind(); --steps) {
    const absl::StatusOr<bool> step = structure_.Step();
    if (absl::IsResourceExhausted(step.status())) {
      break;  // the structure thread will find no space either, and then makes a checkpoint
    }
    BETR_RETURN_IF_ERROR(step.status());
  }
  return absl::OkStatus();
}

absl::Status Store::Impl::StartThreads() {
  last_checkpoint_ns_ = SystemClock().Monotonic().count();
  if (!core_->options.background || core_->options.read_only) return absl::OkStatus();
  try {
    structure_thread_ = std::thread([this] { StructureLoop(); });
    writer_thread_ = std::thread([this] { WriterLoop(); });
  } catch (const std::system_error& error) {
    StopThreads();
    return absl::UnavailableError(
        fmt::format("{}: no thread for background work: {}", core_->device->Name(), error.code().message()));
  }
  signals_.Signal();  // what was replayed may exceed the limits of memory
  return absl::OkStatus();
}

void Store::Impl::StopThreads() {
  signals_.Stop();
  if (structure_thread_.joinable()) structure_thread_.join();
  if (writer_thread_.joinable()) writer_thread_.join();
}

absl::StatusOr<bool> Store::Impl::StepBesideWriters(store::Structure::Last last) {
  const store::Signals::Step step(signals_);
  return structure_.Step(store::Purpose::kGrow, last);
}

void Store::Impl::StructureLoop() {
  // The writer thread must keep up, or dirty memory grows without bound.
  const auto is_ahead = [&] { return core_->cache->Dirty() > core_->DirtyHardLimit() && core_->health.status().ok(); };
  while (signals_.AwaitWork()) {
    for (bool more = true; more;) {
      if (!core_->health.status().ok()) return;
      absl::StatusOr<bool> step = StepBesideWriters();
      if (absl::IsResourceExhausted(step.status())) {
        const absl::Status checkpoint = Checkpoint();
        step = checkpoint.ok() ? StepBesideWriters() : checkpoint;
      }
      if (absl::IsResourceExhausted(step.status())) {
        signals_.FoundNoSpace();
        break;
      }
      if (!step.ok()) {
        core_->health.Fail(step.status());
        return;
      }
      more = *step;
      if (!signals_.StepDone(is_ahead)) return;
    }
  }
}

void Store::Impl::WriterLoop() {
  const auto is_due = [&] {
    return CheckpointDue() || GivingBackDue() || LogIsCrowded() || core_->cache->Dirty() > core_->DirtySoftLimit();
  };
  while (signals_.AwaitDue(is_due)) {
    absl::Status status = WriteDirty();
    if (status.ok() && LogIsCrowded() && !CheckpointDue()) status = RelieveLog(HowToRelieveLog());
    if (absl::IsResourceExhausted(status) || (status.ok() && CheckpointDue())) {
      // A checkpoint may use the reserve, and frees what was replaced since the last one.
      status = Checkpoint();
      last_checkpoint_ns_ = SystemClock().Monotonic().count();
    } else if (status.ok() && GivingBackDue()) {
      status = GiveBack();
    }
    if (!status.ok()) {
      core_->health.Fail(status);
      signals_.Signal();
      return;
    }
    signals_.Wake();
  }
}

}  // namespace betr
