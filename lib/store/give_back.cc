// SPDX-License-Identifier: Apache-2.0
// Gives back the space of what was erased, though nobody needs it yet: while nobody writes, on request, and when
// closing. make_room.cc does it for a writer that needs the space.
#include "base/clock.h"
#include "base/status.h"
#include "store/impl.h"

namespace betr {
namespace {

// How long nobody must have written anything before space is given back.
constexpr std::chrono::milliseconds kQuiet{5000};
constexpr std::chrono::milliseconds kQuietIfShort{1000};
constexpr std::chrono::milliseconds kQuietIfAsked{200};
// A sweep reads all interior nodes, however little was erased. So the next one waits this many times as long as the
// last one took.
constexpr int kRestAfterSweep = 16;
// The value of freeing_ while one of its checkpoints is made. It is not 0, since whoever asks meanwhile must not
// believe that none is left.
constexpr int kFreeing = -1;

bool Never() { return false; }

}  // namespace

// What was erased does not wait for the next regular checkpoint. Otherwise somebody who watches the free space while
// removing would remove more and more.
bool Store::Impl::GivingBackDue() const {
  if ((freeing_ == 0 && !SweepDue()) || core_->options.checkpoint_period.count() == 0) return false;
  const std::chrono::milliseconds quiet = space_asked_                ? kQuietIfAsked
                                          : structure_.SpaceIsShort() ? kQuietIfShort
                                                                      : kQuiet;
  const std::chrono::nanoseconds last(std::max(last_write_ns_.load(), last_checkpoint_ns_.load()));
  return SystemClock().Monotonic() - last >= quiet;
}

absl::Status Store::Impl::GiveBack() {
  const bool was_asked = space_asked_.exchange(false);  // who asks from here on asks for the next time
  if (SweepDue()) BETR_RETURN_IF_ERROR(SweepForSpace());
  const int left = freeing_.exchange(kFreeing);
  const absl::Status done = Checkpoint();
  // After a failure, the rest is left to the next regular checkpoint.
  const int still_left = !done.ok() ? 0 : structure_.DeadNodes() > 0 ? left : left - 1;
  int freeing = kFreeing;  // unless something was erased meanwhile
  freeing_.compare_exchange_strong(freeing, still_left);
  BETR_RETURN_IF_ERROR(done);
  if (was_asked && freeing_ > 0) space_asked_ = true;
  return absl::OkStatus();
}

absl::Status Store::Impl::GiveBackNow() {
  BETR_RETURN_IF_ERROR(Checkpoint());
  if (freeing_ == 0) return absl::OkStatus();
  const auto until = SystemClock().Monotonic() + core_->options.settle_time;
  for (bool more = true; more && SystemClock().Monotonic() < until;) {
    BETR_ASSIGN_OR_RETURN(more, StepToSettle({}));
  }
  return Checkpoint();
}

bool Store::Impl::SweepDue() const { return unsettled_when_short_ && SystemClock().Monotonic() >= sweep_at_; }

absl::Status Store::Impl::SweepForSpace() {
  const std::chrono::nanoseconds start = SystemClock().Monotonic();
  const int64_t last_write = last_write_ns_;
  unsettled_when_short_ = false;
  BETR_RETURN_IF_ERROR(Checkpoint());  // moves what is in front of the roots into them
  structure_.Look(dag::Reach::kDisk);
  absl::StatusOr<bool> more = true;
  while (more.ok() && *more) {
    more = StepToSettle({dag::Effort::kErases, store::Purpose::kDelete});
    if (!signals_.StepDone(Never) || last_write_ns_ != last_write) {
      unsettled_when_short_ = true;  // the rest waits for the next time
      break;
    }
  }
  {
    const MutexLock lock(write_mutex_);  // a writer that makes room may be looking at everything
    structure_.Look(dag::Reach::kMemory);
  }
  const std::chrono::nanoseconds end = SystemClock().Monotonic();
  sweep_at_ = end + kRestAfterSweep * (end - start);
  freeing_ = 2;
  return more.status();
}

absl::StatusOr<bool> Store::Impl::StepToSettle(store::Structure::Last last) {
  absl::StatusOr<bool> step = StepBesideWriters(last);
  if (absl::IsResourceExhausted(step.status())) {
    BETR_RETURN_IF_ERROR(Checkpoint());
    step = StepBesideWriters(last);
  }
  if (absl::IsResourceExhausted(step.status())) return false;
  BETR_RETURN_IF_ERROR(step.status());
  BETR_RETURN_IF_ERROR(WriteDirtyOrCheckpoint());
  return *step;
}

absl::Status Store::Impl::Settle() {
  const bool thorough = erased_.load() && structure_.SpaceIsShort();
  if (!unsettled_.load() && structure_.DeadNodes() == 0 && !thorough) return absl::OkStatus();
  const auto until = SystemClock().Monotonic() + core_->options.settle_time;
  {
    // Messages that are still in front of the roots may hide as much as those in the roots.
    const MutexLock lock(write_mutex_);
    BETR_RETURN_IF_ERROR(structure_.Drain().status());
  }
  structure_.Look(dag::Reach::kDisk);
  const dag::Effort effort = thorough ? dag::Effort::kErases : dag::Effort::kFrugal;
  for (bool more = true; more && SystemClock().Monotonic() < until;) {
    BETR_ASSIGN_OR_RETURN(more, StepToSettle({effort, store::Purpose::kDelete}));
  }
  return absl::OkStatus();
}

}  // namespace betr
