// SPDX-License-Identifier: Apache-2.0
#include "store/batch_edit.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "base/status.h"
#include "dag/clone.h"
#include "dag/flush.h"

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

Change BatchEdit::TakeChange() {
  auto state = std::make_shared<State>(before_);
  state->table = edit_.table();
  state->next_node = edit_.next_id();
  state->trees = std::move(trees_);
  state->next_tree = next_tree_;
  state->levels = levels_;
  state->risen = core_.io->BoundsRisen();
  for (const TreeId id : drained_) {
    MeasureRoot(*state, id, core_.FullRoot());
  }
  Change change;
  change.state = std::move(state);
  change.emptied = std::move(drained_);
  change.replace = std::move(local_);
  std::erase(deferred_, nullptr);
  change.apply = std::move(deferred_);
  return change;
}

// Points for trees that no structural change has concerned so far go to the tree's buffer in the end.
void BatchEdit::Buffer(const Op& op) {
  if (!drained_.contains(op.tree)) {
    deferred_of_[op.tree].push_back(deferred_.size());
    deferred_.push_back(&op);
    return;
  }
  dag::MessageBuffer& local = local_.try_emplace(op.tree, core_.options.functions).first->second;
  switch (op.kind) {
    case OpKind::kPut:
      return local.Put(op.key, op.value);
    case OpKind::kErase:
      return local.Erase(op.key);
    case OpKind::kUpsert:
      return local.Upsert(op.key, op.function, op.value);
    default:
      return local.EraseRange(op.range);
  }
}

std::vector<const Op*> BatchEdit::TakeDeferred(TreeId id) {
  std::vector<const Op*> taken;
  const auto found = deferred_of_.find(id);
  if (found != deferred_of_.end()) {
    for (const size_t index : found->second) {
      taken.push_back(std::exchange(deferred_[index], nullptr));
    }
    deferred_of_.erase(found);
  }
  return taken;
}

// Everything that was said about a tree so far goes into its root.
absl::StatusOr<NodeId> BatchEdit::Drain(TreeId id) {
  const Tree* tree = trees_.Find(id);
  Check(tree != nullptr, "a batch is checked before it is applied");
  NodeId root = tree->root;
  if (drained_.insert(id).second) {
    for (const SealedPtr& sealed : fronts_.SealAll(id)) {
      BETR_ASSIGN_OR_RETURN(root, InsertBuffer(root, sealed->messages));
    }
    for (const Op* op : TakeDeferred(id)) {
      Buffer(*op);
    }
  }
  if (const auto local = local_.find(id); local != local_.end()) {
    BETR_ASSIGN_OR_RETURN(root, InsertBuffer(root, local->second));
    local_.erase(local);
  }
  trees_.SetRoot(id, root);
  return root;
}

absl::StatusOr<NodeId> BatchEdit::InsertBuffer(NodeId root, const dag::MessageBuffer& buffer) {
  return dag::Insert(edit_, root, buffer.Seal(*core_.io));
}

absl::Status BatchEdit::CloneOrRename(const Op& op) {
  BETR_ASSIGN_OR_RETURN(NodeId from, Drain(op.tree));
  BETR_ASSIGN_OR_RETURN(NodeId other, Drain(op.to_tree));
  NodeId& to = op.tree == op.to_tree ? from : other;  // one root is one variable
  const uint64_t levels = edit_.counters().levels_grown;
  BETR_RETURN_IF_ERROR(op.kind == OpKind::kClonePrefix ? dag::ClonePrefix(edit_, from, op.key, to, op.value)
                                                       : dag::RenamePrefix(edit_, from, op.key, to, op.value));
  trees_.SetRoot(op.tree, from);
  trees_.SetRoot(op.to_tree, to);
  levels_ += edit_.counters().levels_grown - levels;
  return absl::OkStatus();
}

absl::Status BatchEdit::Create(const Op& op) {
  BETR_ASSIGN_OR_RETURN(const Codec codec, ParseCodec(op.value));
  const NodeId root = edit_.Create(dag::EmptyNode(1, Range::All(), codec));
  AddTree({op.to_tree, op.key, root, codec, false});
  return absl::OkStatus();
}

absl::Status BatchEdit::Snapshot(const Op& op) {
  BETR_ASSIGN_OR_RETURN(const NodeId root, Drain(op.tree));
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
  const Tree* tree = trees_.Find(op.tree);
  Check(tree != nullptr, "a batch is checked before it is applied");
  edit_.Release(tree->root);
  trees_.Remove(op.tree);
  drained_.insert(op.tree);
  local_.erase(op.tree);
  TakeDeferred(op.tree);
  return absl::OkStatus();
}

}  // namespace betr::store
