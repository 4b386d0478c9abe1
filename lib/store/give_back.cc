// SPDX-License-Identifier: Apache-2.0
// Giving back the space of what was erased, though nobody needs it yet: while nobody writes, for who asks, and at the
// end. For a writer who does, make_room.cc has it given back.
#include "base/clock.h"
#include "base/status.h"
#include "store/impl.h"

namespace betr {
namespace {

// How long nobody has written anything before.
constexpr std::chrono::milliseconds kQuiet{5000};
constexpr std::chrono::milliseconds kQuietIfShort{1000};
constexpr std::chrono::milliseconds kQuietIfAsked{200};
// A sweep reads all interior nodes, however little was erased: the next one waits for so many times as long as it took.
constexpr int kRestAfterSweep = 16;
// In place of how many checkpoints are left, while one of them is made: who asks meanwhile must not take it for none.
constexpr int kFreeing = -1;

bool Never() { return false; }

}  // namespace

// What was erased is not left to the next checkpoint that is due by itself: who asks how much space there is would
// remove more and more.
bool Store::Impl::GivingBackDue() const {
  if ((freeing_ == 0 && !SweepDue()) || core_->options.checkpoint_period.count() == 0) {
    return false;
  }
  const std::chrono::milliseconds quiet = space_asked_                ? kQuietIfAsked
                                          : structure_.SpaceIsShort() ? kQuietIfShort
                                                                      : kQuiet;
  const std::chrono::nanoseconds last(std::max(last_write_ns_.load(), last_checkpoint_ns_.load()));
  return SystemClock().Monotonic() - last >= quiet;
}

absl::Status Store::Impl::GiveBack() {
  if (SweepDue()) {
    BETR_RETURN_IF_ERROR(SweepForSpace());
  }
  const int left = freeing_.exchange(kFreeing);
  const absl::Status done = Checkpoint();
  // One that failed is left to the next checkpoint that is due by itself.
  const int still_left = !done.ok() ? 0 : structure_.DeadNodes() > 0 ? left : left - 1;
  int freeing = kFreeing;  // unless something was erased meanwhile
  freeing_.compare_exchange_strong(freeing, still_left);
  BETR_RETURN_IF_ERROR(done);
  space_asked_ = space_asked_ && freeing_ > 0;
  return absl::OkStatus();
}

absl::Status Store::Impl::GiveBackNow() {
  BETR_RETURN_IF_ERROR(Checkpoint());
  if (freeing_ == 0) {
    return absl::OkStatus();
  }
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
  BETR_RETURN_IF_ERROR(Checkpoint());  // what is in front of the roots goes into them
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
    const MutexLock lock(write_mutex_);  // a writer who makes room may look at all meanwhile
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
  if (absl::IsResourceExhausted(step.status())) {
    return false;
  }
  BETR_RETURN_IF_ERROR(step.status());
  BETR_RETURN_IF_ERROR(WriteDirtyOrCheckpoint());
  return *step;
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
  const dag::Effort effort = thorough ? dag::Effort::kErases : dag::Effort::kFrugal;
  for (bool more = true; more && SystemClock().Monotonic() < until;) {
    BETR_ASSIGN_OR_RETURN(more, StepToSettle({effort, store::Purpose::kDelete}));
  }
  return absl::OkStatus();
}

}  // namespace betr
