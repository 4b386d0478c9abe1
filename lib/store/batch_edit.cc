// SPDX-License-Identifier: Apache-2.0
#include "store/batch_edit.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "base/status.h"
#include "dag/change/flush.h"

namespace betr::store {

BatchEdit::BatchEdit(Core& core, Fronts& fronts, const State& before)
    : core_(core),
      fronts_(fronts),
      before_(before),
      edit_(before.table, before.next_node, core.DagContext()),
      trees_(before.trees),
      next_tree_(before.next_tree),
      levels_(before.levels) {}

absl::Status BatchEdit::Apply(const Op& op) {
  switch (op.kind) {
    case OpKind::kPut:
    case OpKind::kErase:
    case OpKind::kUpsert:
    case OpKind::kEraseRange:
      Buffer(op);
      return absl::OkStatus();
    case OpKind::kClonePrefix:
    case OpKind::kRenamePrefix:
      return CloneOrRename(op);
    case OpKind::kCreateTree:
      return Create(op);
    case OpKind::kSnapshot:
      return Snapshot(op);
    case OpKind::kDropTree:
      return Drop(op);
  }
  return absl::InvalidArgumentError("unknown kind of change");
}

absl::StatusOr<Change> BatchEdit::TakeChange() {
  for (const TreeId id : drained_) BETR_RETURN_IF_ERROR(InsertGotos(id));
  BETR_RETURN_IF_ERROR(edit_.status());
  auto state = std::make_shared<State>(before_);
  state->table = edit_.table();
  state->next_node = edit_.next_id();
  state->trees = std::move(trees_);
  state->next_tree = next_tree_;
  state->levels = levels_;
  state->risen = core_.io->BoundsRisen();
  for (const TreeId id : drained_) MeasureRoot(*state, id, core_.FullRoot());
  Change change;
  change.state = std::move(state);
  change.emptied = std::move(drained_);
  change.replace = std::move(local_);
  std::erase(deferred_, nullptr);
  change.apply = std::move(deferred_);
  return change;
}

NodeId BatchEdit::RootOf(TreeId id) const {
  const Tree* tree = trees_.Find(id);
  Check(tree != nullptr, "a batch is checked before it is applied");
  return tree->root;
}

// Defers point changes of a tree that no structural change of the batch has concerned so far. In the end they go to the
// tree's buffer.
void BatchEdit::Buffer(const Op& op) {
  if (!drained_.contains(op.tree)) {
    deferred_of_[op.tree].push_back(deferred_.size());
    deferred_.push_back(&op);
    return;
  }
  BufferOp(op, local_.try_emplace(op.tree, core_.options.functions).first->second);
}

std::vector<const Op*> BatchEdit::TakeDeferred(TreeId id) {
  std::vector<const Op*> taken;
  const auto found = deferred_of_.find(id);
  if (found != deferred_of_.end()) {
    for (const size_t index : found->second) taken.push_back(std::exchange(deferred_[index], nullptr));
    deferred_of_.erase(found);
  }
  return taken;
}

absl::Status BatchEdit::Drain(TreeId id) {
  if (drained_.insert(id).second) {
    for (const SealedPtr& sealed : fronts_.SealAll(id)) BETR_RETURN_IF_ERROR(InsertBuffer(id, sealed->messages));
    for (const Op* op : TakeDeferred(id)) Buffer(*op);
  }
  BETR_RETURN_IF_ERROR(InsertGotos(id));
  if (const auto local = local_.extract(id)) BETR_RETURN_IF_ERROR(InsertBuffer(id, local.mapped()));
  return absl::OkStatus();
}

absl::Status BatchEdit::DrainFor(TreeId id, const Range& range) {
  const auto touches = [&](const auto& of) {
    const auto found = of.find(id);
    return found != of.end() && found->second.Touches(range);
  };
  const bool waits = drained_.contains(id) && !touches(gotos_) && !touches(local_);
  return waits ? absl::OkStatus() : Drain(id);
}

absl::Status BatchEdit::InsertBuffer(TreeId id, const dag::MessageBuffer& buffer) {
  BETR_ASSIGN_OR_RETURN(const NodeId root, dag::Insert(edit_, RootOf(id), buffer.Seal(*core_.io)));
  trees_.SetRoot(id, root);
  return absl::OkStatus();
}

absl::Status BatchEdit::InsertGotos(TreeId id) {
  const auto gotos = gotos_.extract(id);
  if (gotos.empty() || gotos.mapped().Empty()) return absl::OkStatus();
  NodeId root = RootOf(id);
  const uint64_t levels = edit_.counters().levels_grown;
  BETR_RETURN_IF_ERROR(dag::InsertGotos(edit_, root, gotos.mapped().Take()));
  trees_.SetRoot(id, root);
  levels_ += edit_.counters().levels_grown - levels;
  return absl::OkStatus();
}

absl::StatusOr<dag::Place> BatchEdit::FindPlace(TreeId id, std::string_view prefix) {
  BETR_RETURN_IF_ERROR(DrainFor(id, Range::Prefix(prefix)));
  NodeId root = RootOf(id);
  BETR_ASSIGN_OR_RETURN(dag::Place place, dag::FindPlace(edit_, root, prefix));
  trees_.SetRoot(id, root);
  return place;
}

absl::Status BatchEdit::CloneOrRename(const Op& op) {
  BETR_ASSIGN_OR_RETURN(const dag::Place place, FindPlace(op.tree, op.key));
  if (op.kind == OpKind::kRenamePrefix) gotos_[op.tree].Add(dag::EraseOf(Range::Prefix(op.key)));
  BETR_RETURN_IF_ERROR(DrainFor(op.to_tree, Range::Prefix(op.value)));
  gotos_[op.to_tree].Add(dag::CloneOf(edit_, place, op.value));
  return absl::OkStatus();
}

absl::Status BatchEdit::Create(const Op& op) {
  BETR_ASSIGN_OR_RETURN(const Codec codec, ParseCodec(op.value));
  const NodeId root = edit_.Create(dag::EmptyNode(1, Range::All(), codec));
  AddTree({op.to_tree, op.key, root, codec, false});
  return absl::OkStatus();
}

absl::Status BatchEdit::Snapshot(const Op& op) {
  BETR_RETURN_IF_ERROR(Drain(op.tree));
  const NodeId root = RootOf(op.tree);
  edit_.Retain(root);
  AddTree({op.to_tree, op.key, root, trees_.Find(op.tree)->codec, true});
  return absl::OkStatus();
}

void BatchEdit::AddTree(Tree tree) {
  drained_.insert(tree.id);
  next_tree_ = std::max(next_tree_, tree.id.Next());
  trees_.Set(std::move(tree));
}

absl::Status BatchEdit::Drop(const Op& op) {
  BETR_RETURN_IF_ERROR(InsertGotos(op.tree));  // gotos hold references, which are released with the root
  edit_.Release(RootOf(op.tree));
  trees_.Remove(op.tree);
  drained_.insert(op.tree);
  local_.erase(op.tree);
  TakeDeferred(op.tree);
  return absl::OkStatus();
}

}  // namespace betr::store
