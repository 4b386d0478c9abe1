// SPDX-License-Identifier: Apache-2.0
// Background work when there is no space for what should be done next, or when all else is done and space is wanted.

#include "base/status.h"
#include "store/structure.h"

namespace betr::store {

// Reclaims first, since that needs no space and gives some back. In NextStep, work that finds no space may come before
// it.
absl::StatusOr<bool> Structure::StepWithoutSpace() {
  BETR_ASSIGN_OR_RETURN(bool done, ReclaimStep());
  if (!done) {
    const absl::StatusOr<bool> pruned = PruneStep();
    done = pruned.ok() && *pruned;
  }
  return done ? true : SweepStep(dag::Effort::kFrugal, Pause::kForOthers);
}

// The first tree's sweep visits the nodes of all trees. So of the others only the roots are left to look at.
absl::StatusOr<bool> Structure::SweepStep(dag::Effort effort, Pause pause) {
  const StatePtr state = fronts_.state();
  bool is_first = true;
  for (const auto& [id, tree] : state->trees) {
    if (tree.snapshot) continue;
    Sweeps::ForSpace& sweep = sweeps_.SweepForSpace(id, HeightOf(*state, id), effort, is_first);
    // Only the first tree's sweep pauses after each look. After a pause in another one, the first would begin again.
    BETR_ASSIGN_OR_RETURN(const bool goes_on, SweepStep(tree, sweep, is_first ? pause : Pause::kForOthers));
    if (goes_on) return true;
    is_first = false;
  }
  return false;
}

// Goes on where the last call ended, until something is found for which there is space.
absl::StatusOr<bool> Structure::SweepStep(const Tree& tree, Sweeps::ForSpace& found, Pause pause) {
  dag::Sweep& sweep = found.sweep;
  for (;;) {
    const StatePtr before = fronts_.state();
    found.is_whole = sweep.next == kNoNode || (found.is_whole && found.seen.lock() == before);
    found.seen = before;
    dag::Edit edit = BeginWork(*before);
    const size_t left_out = left_out_.EdgeCount();
    const absl::StatusOr<dag::WorkResult> result = dag::Work(edit, tree.root, sweep);
    if (!result.ok()) {
      BETR_ASSIGN_OR_RETURN(const bool is_new, LeaveOut(result.status(), left_out));
      if (!is_new) {
        return false;
      }
    } else if (!result->changed) {
      const bool is_over = sweep.next == kNoNode;
      if (is_over && found.is_whole) return false;
      if (!is_over && (pause == Pause::kAfterEachLook || OthersWait())) {
        return true;
      }
    } else if (PublishRoot(*before, edit, tree.id, result->root).ok()) {
      return true;  // there is another state now, in which it has not looked at everything
    } else {
      sweep.next = sweep.next.Next();
    }
  }
}

bool Structure::OthersWait() {
  const MutexLock lock(turn_mutex_);
  return urgent_ > 0;
}

}  // namespace betr::store
