// SPDX-License-Identifier: Apache-2.0
// Background work that cannot be done (dag/left_out.h). What waits for it stays where it is. If that becomes too much,
// writers are told.
#include <algorithm>

#include "base/status.h"
#include "dag/view.h"
#include "store/structure.h"

namespace betr::store {
namespace {

// How many node sizes of messages in a root may wait for what lies behind one edge, and in all. These are far fewer
// than a node can be stored with, since what is in front of the root comes on top.
constexpr uint64_t kMostBehindEdge = 1;
constexpr uint64_t kMostInRoot = 4;
// With changes that only take something away, twice as much may wait.
constexpr uint64_t kTimesWithErases = 2;

// Returns where all that a partition buffers lies, or `all` if a run is not in memory.
Range HullOf(const dag::Partition& partition, const Range& all) {
  Range hull{all.hi, all.lo};
  const auto add = [&](const Bound& lo, const Bound& hi) { hull = {std::min(hull.lo, lo), std::max(hull.hi, hi)}; };
  for (const dag::BlockView& run : partition.runs) {
    const std::shared_ptr<const dag::Block> block = run.slot->Peek();
    if (block == nullptr) return all;
    dag::ViewReader reader(block, run);
    if (reader.Count() == 0) continue;
    reader.SeekBackward(run.clip.hi);
    const Bound last = Bound::At(std::string(reader.Key()) + '\0');
    reader.SeekForward(run.clip.lo);
    add(Bound::At(reader.Key()), last);
  }
  for (const dag::Goto& message : partition.gotos) add(message.link.range.lo, message.link.range.hi);
  return hull;
}

}  // namespace

dag::Edit Structure::BeginWork(const State& state) {
  dag::Context context = core_.DagContext();
  context.left_out = &left_out_;
  return {state.table, state.next_node, context};
}

absl::StatusOr<bool> Structure::LeaveOut(const absl::Status& failed, size_t left_out_before) {
  if (!IsUnreadable(failed)) return failed;
  core_.warnings->Tell(failed);
  FindStuck(*fronts_.state());
  return left_out_.EdgeCount() > left_out_before;
}

void Structure::FindStuck(const State& state) {
  if (left_out_.Nothing()) return;
  const Bytes node_size = core_.shape.node_size;
  std::vector<Stuck> found;
  const dag::Edit look = BeginWork(state);
  for (const auto& [id, tree] : state.trees) {
    const dag::NodePtr root = tree.snapshot ? nullptr : look.Peek(tree.root);
    if (root == nullptr || root->Size() <= node_size * kMostBehindEdge) continue;
    const uint64_t in_root = root->Size() / node_size;
    for (const dag::Edge& edge : root->edges) {
      const uint64_t behind_edge = edge.partition.Size() / node_size;
      const uint64_t times = std::max(behind_edge / kMostBehindEdge, in_root / kMostInRoot);
      const absl::Status why = times == 0 ? absl::OkStatus() : dag::WhyLeftOut(look, tree.root, edge);
      if (!why.ok()) {
        Stuck& stuck = found.emplace_back(id, edge.link.range, std::nullopt, why);
        if (times >= kTimesWithErases) stuck.waiting = HullOf(edge.partition, edge.link.range);
      }
    }
  }
  const MutexLock lock(mutex_);
  for (Stuck& stuck : stuck_) {
    const Tree* tree = state.trees.Find(stuck.tree);
    if (tree != nullptr && look.Peek(tree->root) == nullptr) {
      found.push_back(std::move(stuck));  // nothing has come to this root since
    }
  }
  stuck_ = std::move(found);
  has_stuck_ = !stuck_.empty();
}

// Changes that take something away are let in for longer, since they can put an end to this.
bool Structure::MayGoTo(const Stuck& stuck, const Op& op) {
  const auto adds = [&](TreeId tree, const Range& range) { return tree == stuck.tree && range.Overlaps(stuck.range); };
  const auto takes = [&](TreeId tree, const Range& range) {
    return stuck.waiting && adds(tree, range) && !range.Covers(*stuck.waiting);
  };
  switch (op.kind) {
    case OpKind::kPut:
    case OpKind::kUpsert:
      return op.tree != stuck.tree || !stuck.range.Contains(op.key);
    case OpKind::kErase:
      return !stuck.waiting || op.tree != stuck.tree || !stuck.range.Contains(op.key);
    case OpKind::kEraseRange:
      return !takes(op.tree, op.range);
    case OpKind::kRenamePrefix:
      return !adds(op.to_tree, Range::Prefix(op.value)) && !takes(op.tree, Range::Prefix(op.key));
    case OpKind::kClonePrefix:
      return !adds(op.to_tree, Range::Prefix(op.value));
    case OpKind::kCreateTree:
    case OpKind::kSnapshot:
    case OpKind::kDropTree:
      return true;
  }
  return true;
}

absl::Status Structure::CheckStuck(std::span<const Op> ops) const {
  if (!has_stuck_) return absl::OkStatus();
  const MutexLock lock(mutex_);
  for (const Op& op : ops) {
    for (const Stuck& stuck : stuck_) {
      if (!MayGoTo(stuck, op)) return Annotate(stuck.why, "too much waits for what cannot be changed");
    }
  }
  return absl::OkStatus();
}

}  // namespace betr::store
