// SPDX-License-Identifier: Apache-2.0
// Background work where something cannot be read: it is left out, what waits for it stays where it is, and when that is
// too much, writers are told.
#include "base/status.h"
#include "store/structure.h"

namespace betr::store {
namespace {

// How much of a root may wait for what lies behind one edge, and in all, in sizes of a node: far less than a node can
// be stored with, and what is in front of the root comes on top of it.
constexpr uint64_t kMostBehindEdge = 1;
constexpr uint64_t kMostInRoot = 4;

}  // namespace

dag::Edit Structure::BeginWork(const State& state) {
  dag::Context context = core_.DagContext();
  context.left_out = &left_out_;
  return {state.table, state.next_node, context};
}

absl::StatusOr<bool> Structure::LeaveOut(const absl::Status& failed, size_t left_out_before) {
  if (!dag::IsUnreadable(failed)) {
    return failed;
  }
  core_.warnings->Tell(failed);
  FindStuck(*fronts_.state());
  return left_out_.EdgeCount() > left_out_before;
}

void Structure::FindStuck(const State& state) {
  if (left_out_.EdgeCount() == 0) {
    return;
  }
  const Bytes node_size = core_.shape.node_size;
  std::vector<Stuck> found;
  const dag::Edit look = BeginWork(state);
  for (const auto& [id, tree] : state.trees) {
    const dag::NodePtr root = tree.snapshot ? nullptr : look.Peek(tree.root);
    if (root == nullptr || root->Size() <= node_size * kMostBehindEdge) {
      continue;
    }
    const bool is_root_full = root->Size() > node_size * kMostInRoot;
    for (const dag::Edge& edge : root->edges) {
      const absl::Status why = dag::WhyLeftOut(look, tree.root, edge);
      if (!why.ok() && (is_root_full || edge.partition.Size() > node_size * kMostBehindEdge)) {
        found.push_back({id, edge.link.range, why});
      }
    }
  }
  const MutexLock lock(mutex_);
  stuck_ = std::move(found);
  has_stuck_ = !stuck_.empty();
}

// Range erases may go there: they are what makes an end of it.
absl::Status Structure::CheckStuck(std::span<const Op> ops) const {
  if (!has_stuck_) {
    return absl::OkStatus();
  }
  const MutexLock lock(mutex_);
  for (const Op& op : ops) {
    const bool is_point = op.kind == OpKind::kPut || op.kind == OpKind::kErase || op.kind == OpKind::kUpsert;
    for (const Stuck& stuck : stuck_) {
      if (is_point && op.tree == stuck.tree && stuck.range.Contains(op.key)) {
        return Annotate(stuck.why, "too much waits for what cannot be read");
      }
    }
  }
  return absl::OkStatus();
}

}  // namespace betr::store
