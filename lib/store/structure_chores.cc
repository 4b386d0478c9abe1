// SPDX-License-Identifier: Apache-2.0
// Background work that nobody waits for: reclaims dead nodes, and drops what no path shows any more.
#include <vector>

#include "base/status.h"
#include "dag/change/reclaim.h"
#include "store/structure.h"

namespace betr::store {

absl::StatusOr<bool> Structure::Chore() {
  BETR_ASSIGN_OR_RETURN(bool done, ReclaimStep());
  if (!done) {
    BETR_ASSIGN_OR_RETURN(done, PruneStep());
  }
  return done ? true : WorkOnRestless();
}

bool Structure::SpaceIsShort() const {
  const layout::SpaceFigures figures = core_.space->Figures();
  return figures.free < core_.reserve + (figures.total - core_.reserve) / 4;
}

absl::StatusOr<bool> Structure::PruneStep() {
  const StatePtr before = fronts_.state();
  if (!prune_) {
    // Counts by ids, not by the counter of created nodes. That one also counts a step for which there was no space,
    // which must not begin a pass each time.
    const uint64_t changes = before->next_node.value + core_.dag_counters.nodes_reclaimed;
    if (!SpaceIsShort() || changes < prune_at_) return false;
    prune_at_ = changes + before->table.Count() / 8 + 1;
    std::vector<NodeId> roots;
    for (const auto& [id, tree] : before->trees) roots.push_back(tree.root);
    prune_.emplace(before->table, roots);
  }
  dag::Edit edit = Begin(*before);
  const absl::StatusOr<bool> changed = prune_->Step(edit);
  // If something cannot be read, those who need it will get the error.
  if (!changed.ok() || prune_->Done()) prune_.reset();
  if (changed.ok() && *changed) {
    const std::shared_ptr<State> after = Finish(*before, edit);
    if (const absl::Status space = CheckSpace(*before, edit, *after); !space.ok()) {
      prune_.reset();  // it keeps the space of the state that it began with; the next pass gets here again
      return space;
    }
    Publish(edit, {.state = after});
  }
  return true;
}

absl::StatusOr<bool> Structure::PayBack() {
  if (made_ == 0) return false;
  BETR_ASSIGN_OR_RETURN(const bool reclaimed, ReclaimStep());
  made_ = reclaimed ? made_ - 1 : 0;
  return reclaimed;
}

absl::StatusOr<bool> Structure::ReclaimStep() {
  NodeId id;
  {
    const MutexLock lock(mutex_);
    if (dead_.empty()) return false;
    id = *dead_.begin();
  }
  const StatePtr before = fronts_.state();
  dag::Edit edit = Begin(*before);
  const absl::Status reclaimed = dag::Reclaim(edit, id);
  if (IsUnreadable(reclaimed)) {
    // The node keeps its space, and what it names, until the image is repaired.
    core_.warnings->Tell(reclaimed);
    const MutexLock lock(mutex_);
    dead_.erase(id);
    return true;
  }
  BETR_RETURN_IF_ERROR(reclaimed);
  Publish(edit, {.state = Finish(*before, edit)});
  const MutexLock lock(mutex_);
  dead_.erase(id);
  if (dead_.empty()) {
    // Nodes that were shared have become private, so the next sweeps may do more with them.
    for (const auto& [tree_id, tree] : before->trees) {
      if (!tree.snapshot) sweeps_.Stir(tree_id);
    }
  }
  return true;
}

}  // namespace betr::store
