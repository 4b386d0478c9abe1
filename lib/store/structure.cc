// SPDX-License-Identifier: Apache-2.0
#include "store/structure.h"

#include <thread>
#include <utility>

#include "base/check.h"
#include "base/status.h"
#include "dag/clone.h"
#include "dag/flush.h"
#include "dag/reclaim.h"
#include "dag/tree_cursor.h"

namespace betr::store {
// Holds the structural writer's turn. Background turns let urgent ones go first.
class Structure::Turn {
 public:
  enum class Kind { kUrgent, kBackground };
  Turn(Structure& structure, Kind kind) : lock_(Queue(structure, kind)) {
    if (kind == Kind::kUrgent) {
      --structure.urgent_;
    }
  }

 private:
  static Mutex& Queue(Structure& structure, Kind kind) {
    if (kind == Kind::kUrgent) {
      ++structure.urgent_;
    }
    while (kind == Kind::kBackground && structure.urgent_.load() > 0) {
      std::this_thread::yield();
    }
    return structure.turn_mutex_;
  }

  MutexLock lock_;
};

Structure::Structure(Core& core, Fronts& fronts) : core_(core), fronts_(fronts) {
  const StatePtr state = fronts_.state();
  const MutexLock lock(mutex_);
  state->table.ForEach([&](NodeId id, const dag::NodeRecord& record) {
    if (record.Dead()) {
      dead_.insert(id);
    }
  });
  for (const auto& [id, tree] : state->trees) {
    if (!tree.snapshot) {
      restless_.insert(id);
    }
  }
}

std::shared_ptr<State> Structure::Finish(const State& before, const dag::Edit& edit) {
  auto after = std::make_shared<State>(before);
  after->table = edit.table();
  after->next_node = edit.next_id();
  return after;
}

void Structure::Remember(const dag::Edit& edit) {
  const MutexLock lock(mutex_);
  for (const NodeId id : edit.dead()) {
    if (edit.table().Find(id) != nullptr) {
      dead_.insert(id);
    }
  }
}

// The private work of one structural batch.
class Structure::BatchEdit {
 public:
  BatchEdit(Core& core, Fronts& fronts, const State& before)
      : core_(core),
        fronts_(fronts),
        before_(before),
        edit_(before.table, before.next_node, core.DagContext()),
        trees_(before.trees),
        next_tree_(before.next_tree) {}

  absl::Status Apply(const Op& op) {
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

  Change TakeChange() {
    auto state = std::make_shared<State>(before_);
    state->table = edit_.table();
    state->next_node = edit_.next_id();
    state->trees = std::move(trees_);
    state->next_tree = next_tree_;
    Change change;
    change.state = std::move(state);
    change.emptied = std::move(drained_);
    change.replace = std::move(local_);
    change.apply = std::move(deferred_);
    return change;
  }

  const dag::Edit& edit() const { return edit_; }
  const std::set<TreeId>& drained() const { return drained_; }

 private:
  // Points for trees that no structural change has concerned so far go to the tree's buffer in the end.
  void Buffer(const Op& op) {
    if (!drained_.contains(op.tree)) {
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

  // Everything that was said about a tree so far goes into its root. Returns the tree.
  absl::StatusOr<Tree*> Drain(TreeId id) {
    const auto found = trees_.find(id);
    Check(found != trees_.end(), "a batch is checked before it is applied");
    Tree& tree = found->second;
    if (drained_.insert(id).second) {
      for (const SealedPtr& sealed : fronts_.SealAll(id)) {
        BETR_RETURN_IF_ERROR(InsertBuffer(tree, sealed->messages));
      }
      std::vector<const Op*> deferred;
      std::swap(deferred, deferred_);
      for (const Op* op : deferred) {
        if (op->tree == id) {
          Buffer(*op);
        } else {
          deferred_.push_back(op);
        }
      }
    }
    if (const auto local = local_.find(id); local != local_.end()) {
      BETR_RETURN_IF_ERROR(InsertBuffer(tree, local->second));
      local_.erase(local);
    }
    return &tree;
  }

  absl::Status InsertBuffer(Tree& tree, const dag::MessageBuffer& buffer) {
    BETR_ASSIGN_OR_RETURN(tree.root, dag::Insert(edit_, tree.root, buffer.Seal(*core_.io)));
    return absl::OkStatus();
  }

  absl::Status CloneOrRename(const Op& op) {
    BETR_ASSIGN_OR_RETURN(Tree* const from, Drain(op.tree));
    BETR_ASSIGN_OR_RETURN(Tree* const to, Drain(op.to_tree));
    BETR_ASSIGN_OR_RETURN(const bool copied, CopySmall(op, from->root));
    if (copied) {
      return absl::OkStatus();
    }
    return op.kind == OpKind::kClonePrefix ? dag::ClonePrefix(edit_, from->root, op.key, to->root, op.value)
                                           : dag::RenamePrefix(edit_, from->root, op.key, to->root, op.value);
  }

  // A source of less than a quarter of a node is copied as points: cheaper than an edge that shows next to nothing, for
  // ever. The papers do so below 4 MiB. Whether it did; costs reading that much of the source.
  absl::StatusOr<bool> CopySmall(const Op& op, NodeId from_root) {
    const UpsertRegistry& functions = core_.options.functions;
    dag::TreeCursor cursor({edit_.table(), from_root, {}}, Range::Prefix(op.key), functions, nullptr);
    std::vector<std::pair<std::string, std::string>> entries;
    Bytes size{0};
    for (cursor.SeekToFirst(); cursor.Valid(); cursor.Next()) {
      size += Bytes{cursor.Key().size() + cursor.Value().size()};
      if (size > core_.shape.node_size / 4) {
        return false;
      }
      entries.emplace_back(op.value + std::string(cursor.Key().substr(op.key.size())), cursor.Value());
    }
    BETR_RETURN_IF_ERROR(cursor.status());
    if (op.kind == OpKind::kRenamePrefix) {
      local_.try_emplace(op.tree, functions).first->second.EraseRange(Range::Prefix(op.key));
    }
    dag::MessageBuffer& to = local_.try_emplace(op.to_tree, functions).first->second;
    to.EraseRange(Range::Prefix(op.value));
    for (const auto& [key, value] : entries) {
      to.Put(key, value);
    }
    return true;
  }

  absl::Status Create(const Op& op) {
    BETR_ASSIGN_OR_RETURN(const Codec codec, ParseCodec(op.value));
    const NodeId root = edit_.Create(dag::EmptyNode(1, Range::All(), codec));
    AddTree({op.to_tree, op.key, root, codec, false});
    return absl::OkStatus();
  }

  absl::Status Snapshot(const Op& op) {
    BETR_ASSIGN_OR_RETURN(const Tree* const source, Drain(op.tree));
    edit_.Retain(source->root);
    AddTree({op.to_tree, op.key, source->root, source->codec, true});
    return absl::OkStatus();
  }

  void AddTree(Tree tree) {
    drained_.insert(tree.id);
    next_tree_ = std::max(next_tree_, tree.id.Next());
    trees_[tree.id] = std::move(tree);
  }

  absl::Status Drop(const Op& op) {
    const auto found = trees_.find(op.tree);
    Check(found != trees_.end(), "a batch is checked before it is applied");
    edit_.Release(found->second.root);
    trees_.erase(found);
    drained_.insert(op.tree);
    local_.erase(op.tree);
    std::erase_if(deferred_, [&](const Op* deferred) { return deferred->tree == op.tree; });
    return absl::OkStatus();
  }

  Core& core_;
  Fronts& fronts_;
  const State& before_;
  dag::Edit edit_;
  std::map<TreeId, Tree> trees_;
  TreeId next_tree_;
  std::set<TreeId> drained_;
  std::map<TreeId, dag::MessageBuffer> local_;
  std::vector<const Op*> deferred_;
};

absl::Status Structure::ApplyBatch(std::span<const Op> ops, const std::function<absl::Status()>& before_publish) {
  const Turn turn(*this, Turn::Kind::kUrgent);
  const StatePtr before = fronts_.state();
  BatchEdit batch(core_, fronts_, *before);
  for (const Op& op : ops) {
    BETR_RETURN_IF_ERROR(batch.Apply(op));
  }
  BETR_RETURN_IF_ERROR(before_publish());
  Remember(batch.edit());
  const std::set<TreeId> changed = batch.drained();
  fronts_.Publish(batch.TakeChange());
  const MutexLock lock(mutex_);
  restless_.insert(changed.begin(), changed.end());
  return absl::OkStatus();
}

absl::StatusOr<StatePtr> Structure::Drain() {
  const Turn turn(*this, Turn::Kind::kUrgent);
  const StatePtr before = fronts_.state();
  dag::Edit edit = Begin(*before);
  auto trees = before->trees;
  Change change;
  for (const TreeId id : fronts_.Busy()) {
    for (const SealedPtr& sealed : fronts_.SealAll(id)) {
      BETR_ASSIGN_OR_RETURN(trees[id].root, dag::Insert(edit, trees[id].root, sealed->messages.Seal(*core_.io)));
    }
    change.emptied.insert(id);
  }
  if (change.emptied.empty()) {
    return before;
  }
  const std::shared_ptr<State> after = Finish(*before, edit);
  after->trees = std::move(trees);
  change.state = after;
  Remember(edit);
  {
    const MutexLock lock(mutex_);
    restless_.insert(change.emptied.begin(), change.emptied.end());
  }
  fronts_.Publish(std::move(change));
  return StatePtr(after);
}

bool Structure::HasWork() const {
  {
    const MutexLock lock(mutex_);
    if (!restless_.empty() || !dead_.empty()) {
      return true;
    }
  }
  return fronts_.AnySealed();
}

uint64_t Structure::DeadNodes() const {
  const MutexLock lock(mutex_);
  return dead_.size();
}

absl::Status Structure::AbsorbSealed() {
  for (bool more = true; more;) {
    const Turn turn(*this, Turn::Kind::kBackground);
    BETR_ASSIGN_OR_RETURN(more, AbsorbStep());
  }
  return absl::OkStatus();
}

absl::StatusOr<bool> Structure::Step() {
  const Turn turn(*this, Turn::Kind::kBackground);
  BETR_ASSIGN_OR_RETURN(bool done, FlushStep());
  if (!done) {
    BETR_ASSIGN_OR_RETURN(done, AbsorbStep());
  }
  if (!done) {
    BETR_ASSIGN_OR_RETURN(done, ReclaimStep());
  }
  return done;
}

absl::StatusOr<bool> Structure::FlushStep() {
  for (;;) {
    TreeId id;
    {
      const MutexLock lock(mutex_);
      if (restless_.empty()) {
        return false;
      }
      id = *restless_.begin();
    }
    const StatePtr before = fronts_.state();
    const auto tree = before->trees.find(id);
    bool done = false;
    if (tree != before->trees.end() && !tree->second.snapshot) {
      dag::Edit edit = Begin(*before);
      BETR_ASSIGN_OR_RETURN(const dag::WorkResult result, dag::Work(edit, tree->second.root));
      done = result.done;
      if (done) {
        const std::shared_ptr<State> after = Finish(*before, edit);
        after->trees[id].root = result.root;
        Remember(edit);
        Change change;
        change.state = after;
        fronts_.Publish(std::move(change));
        return true;
      }
    }
    const MutexLock lock(mutex_);
    restless_.erase(id);
  }
}

absl::StatusOr<bool> Structure::AbsorbStep() {
  const auto oldest = fronts_.OldestSealed();
  if (!oldest) {
    return false;
  }
  const auto& [id, sealed] = *oldest;
  const StatePtr before = fronts_.state();
  dag::Edit edit = Begin(*before);
  const std::shared_ptr<State> after = std::make_shared<State>(*before);
  Tree& tree = after->trees.at(id);
  BETR_ASSIGN_OR_RETURN(tree.root, dag::Insert(edit, tree.root, sealed->messages.Seal(*core_.io)));
  after->table = edit.table();
  after->next_node = edit.next_id();
  Remember(edit);
  Change change;
  change.state = after;
  change.absorbed[id] = 1;
  fronts_.Publish(std::move(change));
  const MutexLock lock(mutex_);
  restless_.insert(id);
  return true;
}

absl::StatusOr<bool> Structure::ReclaimStep() {
  NodeId id;
  {
    const MutexLock lock(mutex_);
    if (dead_.empty()) {
      return false;
    }
    id = *dead_.begin();
  }
  const StatePtr before = fronts_.state();
  dag::Edit edit = Begin(*before);
  BETR_RETURN_IF_ERROR(dag::Reclaim(edit, id));
  Remember(edit);
  Change change;
  change.state = Finish(*before, edit);
  fronts_.Publish(std::move(change));
  const MutexLock lock(mutex_);
  dead_.erase(id);
  return true;
}

absl::Status Structure::Compact(TreeId id) {
  const Turn turn(*this, Turn::Kind::kUrgent);
  const StatePtr before = fronts_.state();
  const auto tree = before->trees.find(id);
  if (tree == before->trees.end() || tree->second.snapshot) {
    return absl::NotFoundError("no such tree, or a snapshot");
  }
  dag::Edit edit = Begin(*before);
  BETR_ASSIGN_OR_RETURN(const NodeId root, dag::FlushAll(edit, tree->second.root));
  const std::shared_ptr<State> after = Finish(*before, edit);
  after->trees[id].root = root;
  Remember(edit);
  Change change;
  change.state = after;
  fronts_.Publish(std::move(change));
  return absl::OkStatus();
}

}  // namespace betr::store
