// SPDX-License-Identifier: Apache-2.0
// What a writer does if it finds no space: while nobody else makes steps, it gives back what is not needed any more,
// and tries again.
#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include "base/status.h"
#include "store/erase_residue.h"
#include "store/impl.h"

namespace betr {
namespace {

// How long a delete on a full store waits for readers that began before. The file system's readers hold a view for one
// piece each. If a program holds one for longer, the delete is refused.
constexpr std::chrono::seconds kPatienceWithReaders{1};

// The number of steps that change something before the writer checks whether there is room. So it does not much more
// than it needs. Each of these steps may read a node and its children.
constexpr int kMostChanges = 64;

// Limits of the work to make room for a writer to whom nothing is promised. kMostRounds: how often all nodes are looked
// at. kWritesAnyway: how many nodes are written, or half of all nodes if that is more. What compresses well takes less
// and less space. So without a limit there would be room again and again, after ever more work.
constexpr uint64_t kMostRounds = 8;
constexpr uint64_t kWritesAnyway = 1024;

class Patience {
 public:
  Patience(const store::Core& core, bool has_end)
      : core_(core), has_end_(has_end), looks_(Looks()), writes_(Writes()) {}

  bool IsLeft(uint64_t nodes) const {
    return !has_end_ ||
           (Looks() - looks_ <= kMostRounds * nodes && Writes() - writes_ <= std::max(kWritesAnyway, nodes / 2));
  }

 private:
  uint64_t Looks() const { return core_.dag_counters.nodes_swept; }
  uint64_t Writes() const { return core_.io->counters().node_writes; }

  const store::Core& core_;
  const bool has_end_;
  const uint64_t looks_;  // at the beginning, as the next
  const uint64_t writes_;
};

}  // namespace

absl::Status Store::Impl::ApplyWithRoom(std::span<const Op> ops, const ApplyAs& apply, store::Purpose purpose) {
  const store::Signals::Alone alone(signals_);
  const bool deletes = purpose == store::Purpose::kDelete;
  const bool is_promised = deletes || store::UnitsForWriting(*core_, fronts_, *fronts_.state()) > 0;
  const Patience patience(*core_, !is_promised);
  const auto until = std::chrono::steady_clock::now() + kPatienceWithReaders;
  for (;;) {
    const bool were_there = ReadersKeepSpace();  // if they end while room is made, more can be made
    BETR_ASSIGN_OR_RETURN(const bool more, MakeRoom(deletes ? store::Purpose::kSettle : purpose));
    absl::Status status = apply(ops, purpose);
    if (!absl::IsResourceExhausted(status) || !(more ? patience.IsLeft(fronts_.state()->table.Count()) : deletes)) {
      return status;
    }
    if (more) continue;
    if ((were_there || ReadersKeepSpace()) && WaitForReaders(until)) {
      swept_ = false;  // there may be space now for work that had none
      continue;
    }
    // No work is left that could need the part of the reserve that is kept for it.
    return ApplyLastWithRoom(ops, apply);
  }
}

absl::Status Store::Impl::ApplyLastWithRoom(std::span<const Op> ops, const ApplyAs& apply) {
  for (bool more = true;;) {
    const LastTry last = ApplyLast(ops, apply);
    if (!absl::IsResourceExhausted(last.status) || !last.leaves_nothing || !more) {
      only_deletes_left_ = last.status.ok();
      return last.status;
    }
    BETR_ASSIGN_OR_RETURN(more, MakeRoom(store::Purpose::kFree));
  }
}

Store::Impl::LastTry Store::Impl::ApplyLast(std::span<const Op> ops, const ApplyAs& apply) {
  const absl::Status helped = apply(ops, store::Purpose::kHelp);
  if (!absl::IsResourceExhausted(helped)) return {helped, false};
  const auto plain = store::WithoutResidue(*Pin(), ops, core_->options.functions);
  if (!plain.ok() || !*plain) return {plain.ok() ? helped : plain.status(), false};
  swept_ = false;  // the erases have to move on to what they erase, or to those that they replace
  // Erases that replace others are not worth the part of the reserve that MakeRoom(kFree) may use up: it is for those
  // that leave nothing behind, which would find no room for their batch then.
  if ((*plain)->replaces) return {apply((*plain)->ops, store::Purpose::kReplace), false};
  return {apply((*plain)->ops, store::Purpose::kFree), true};
}

bool Store::Impl::WaitForReaders(std::chrono::steady_clock::time_point until) const {
  for (; std::chrono::steady_clock::now() < until; std::this_thread::sleep_for(std::chrono::milliseconds(1))) {
    if (!ReadersKeepSpace()) return true;
  }
  return false;
}

absl::StatusOr<bool> Store::Impl::MakeRoom(store::Purpose purpose) {
  // A checkpoint gives dirty nodes their exact space, and frees what was replaced since the last one.
  const uint64_t checkpoints = core_->counters.checkpoints;
  BETR_RETURN_IF_ERROR(CheckpointHoldingWriters());
  if (core_->counters.checkpoints != checkpoints) {
    // Counts anew, since most of what was written has moved on to leaves meanwhile.
    core_->waiting = store::WaitingIn(*fronts_.state()).value;
    return true;
  }
  const bool deletes = purpose == store::Purpose::kSettle || purpose == store::Purpose::kFree;
  const bool clogged = !deletes && store::ManyWait(*core_, *fronts_.state());
  const bool goes_on = std::exchange(sweep_goes_on_, false);
  structure_.Look(swept_ && !clogged ? dag::Reach::kMemory : dag::Reach::kDisk, goes_on);
  const store::Purpose growing = deletes ? store::Purpose::kHelp : store::Purpose::kGrow;
  // If nothing else can be done, what waits are erases. Moving them may use as much of the reserve as writing them did.
  const store::Structure::Last last{clogged ? dag::Effort::kEverything : dag::Effort::kErases,
                                    deletes ? purpose : store::Purpose::kDelete};
  absl::StatusOr<bool> more = StepForRoom(growing, last);
  core_->waiting = store::WaitingIn(*fronts_.state()).value;
  structure_.Look(dag::Reach::kMemory);
  if (!more.ok() && !absl::IsResourceExhausted(more.status())) return more;
  sweep_goes_on_ = more.ok() && *more;
  swept_ = more.ok() && !*more && !goes_on;
  return goes_on || fronts_.state() != checkpointer_.stable();
}

absl::StatusOr<bool> Store::Impl::StepForRoom(store::Purpose growing, store::Structure::Last last) {
  for (int changes = 0; changes < kMostChanges;) {
    const store::StatePtr before = fronts_.state();
    BETR_ASSIGN_OR_RETURN(const bool more, structure_.Step(growing, last));
    if (!more) return false;
    changes += fronts_.state() == before ? 0 : 1;
    const absl::Status written = WriteDirty();
    if (!written.ok() && !absl::IsResourceExhausted(written)) core_->health.Fail(written);
    BETR_RETURN_IF_ERROR(written);
  }
  return true;
}

}  // namespace betr
