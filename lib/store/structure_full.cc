// SPDX-License-Identifier: Apache-2.0
// Background work when there is no space for what should be done next, or when all else is done and space is wanted.
#include <utility>

#include "base/status.h"
#include "store/structure.h"

namespace betr::store {

// Reclaiming needs no space and gives some back, though what it waits for may be in the way.
absl::StatusOr<bool> Structure::StepWithoutSpace() {
  BETR_ASSIGN_OR_RETURN(bool done, ReclaimStep());
  if (!done) {
    const absl::StatusOr<bool> pruned = PruneStep();
    done = pruned.ok() && *pruned;
  }
  return done ? true : SweepStep(dag::Effort::kFrugal);
}

// The first tree's sweep comes by the nodes of all, so of the others only the roots are left to look at.
absl::StatusOr<bool> Structure::SweepStep(dag::Effort effort) {
  const StatePtr state = fronts_.state();
  bool is_first = true;
  for (const auto& [id, tree] : state->trees) {
    if (tree.snapshot) {
      continue;
    }
    dag::Sweep& sweep = sweeps_.ForSpace(id, HeightOf(*state, id), effort, std::exchange(is_first, false));
    BETR_ASSIGN_OR_RETURN(const bool done, SweepStep(tree, sweep));
    if (done) {
      return true;
    }
  }
  return false;
}

// From where the last one ended, until something is found for which there is space.
absl::StatusOr<bool> Structure::SweepStep(const Tree& tree, dag::Sweep& sweep) {
  bool whole_round = sweep.next == kNoNode;
  for (;;) {
    const StatePtr before = fronts_.state();
    dag::Edit edit = BeginWork(*before);
    const size_t left_out = left_out_.EdgeCount();
    const absl::StatusOr<dag::WorkResult> result = dag::Work(edit, tree.root, sweep);
    if (!result.ok()) {
      BETR_ASSIGN_OR_RETURN(const bool is_new, LeaveOut(result.status(), left_out));
      if (!is_new) {
        return false;
      }
      continue;
    }
    if (!result->changed) {
      if (sweep.next != kNoNode) {
        continue;
      }
      if (whole_round) {
        return false;
      }
      whole_round = true;
      continue;
    }
    if (PublishRoot(*before, edit, tree.id, result->root).ok()) {
      return true;
    }
    sweep.next = sweep.next.Next();
  }
}

}  // namespace betr::store
