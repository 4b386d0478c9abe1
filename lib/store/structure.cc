// SPDX-License-Identifier: Apache-2.0
#include "store/structure.h"

#include <algorithm>
#include <utility>

#include "base/status.h"
#include "dag/change/flush.h"
#include "store/batch_edit.h"

namespace betr::store {
namespace {

// The most chores between two buffers that are absorbed. Each is at most a node's work.
constexpr int kChores = 4;
// The most steps after the last buffer that a checkpoint waits for. There is a limit because others may bring news all
// the time.
constexpr int kStepsBeforeCheckpoint = 100;
// The most trees in which a step finds nothing to do before it ends.
constexpr int kTreesOfStep = 16;

}  // namespace

// Holds the structural writer's turn. Background turns let urgent ones go first.
class Structure::Turn {
 public:
  enum class Kind { kUrgent, kBackground };
  Turn(Structure& structure, Kind kind) : structure_(structure) {
    const bool is_urgent = kind == Kind::kUrgent;
    MutexLock lock(structure.turn_mutex_);
    structure.urgent_ += is_urgent ? 1 : 0;
    while (structure.is_taken_ || (!is_urgent && structure.urgent_ > 0)) structure.turn_over_.Wait(lock);
    structure.urgent_ -= is_urgent ? 1 : 0;
    structure.is_taken_ = true;
    structure.growing_ = Purpose::kGrow;
  }
  ~Turn() {
    {
      const MutexLock lock(structure_.turn_mutex_);
      structure_.is_taken_ = false;
    }
    structure_.turn_over_.NotifyAll();
  }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

 private:
  Structure& structure_;
};

Structure::Structure(Core& core, Fronts& fronts) : core_(core), fronts_(fronts) {
  const StatePtr state = fronts_.state();
  std::set<NodeId> dead;
  state->table.ForEach([&](NodeId id, const dag::NodeRecord& record) {
    if (record.Dead()) dead.insert(id);
  });
  const MutexLock lock(mutex_);
  dead_ = std::move(dead);
  for (const auto& [id, tree] : state->trees) {
    if (!tree.snapshot) sweeps_.Stir(id);
  }
}

std::shared_ptr<State> Structure::Finish(const State& before, const dag::Edit& edit) {
  auto after = std::make_shared<State>(before);
  after->table = edit.table();
  after->next_node = edit.next_id();
  after->risen = core_.io->BoundsRisen();
  // A sweep also visits roots of other trees, and may make them smaller. So all large roots are measured again.
  std::vector<TreeId> large;
  for (const auto& [key, unit] : before.trees.Large()) large.push_back(key.second);
  for (const TreeId id : large) MeasureRoot(*after, id, core_.FullRoot());
  return after;
}

void Structure::Remember(const dag::Edit& edit) {
  const MutexLock lock(mutex_);
  for (const NodeId id : edit.dead()) {
    if (edit.table().Find(id) != nullptr) dead_.insert(id);
  }
}

absl::Status Structure::CheckSpace(const State& before, const dag::Edit& edit, const State& after) const {
  BETR_RETURN_IF_ERROR(edit.status());
  return CheckHeadroom(core_, fronts_, after, Grows(core_, before, after, edit) ? growing_ : Purpose::kShrink);
}

void Structure::Publish(const dag::Edit& edit, Change change) {
  const StatePtr after = change.state;
  made_ += after->next_node.value - fronts_.state()->next_node.value;
  Remember(edit);
  Wake(change, *after);
  fronts_.Publish(std::move(change));
  FindStuck(*after);
}

absl::Status Structure::PublishRoot(const State& before, const dag::Edit& edit, TreeId id, NodeId root, Change change) {
  const std::shared_ptr<State> after = Finish(before, edit);
  SetRoot(*after, id, root, core_.FullRoot());
  BETR_RETURN_IF_ERROR(CheckSpace(before, edit, *after));
  change.state = after;
  Publish(edit, std::move(change));
  return absl::OkStatus();
}

absl::Status Structure::ApplyBatch(std::span<const Op> ops, const BeforePublish& before_publish) {
  const Turn turn(*this, Turn::Kind::kUrgent);
  std::set<TreeId> concerned;
  for (const Op& op : ops) concerned.insert({op.tree, op.to_tree});
  Relieve(concerned);
  Lower(concerned);
  const StatePtr before = fronts_.state();
  BatchEdit batch(core_, fronts_, *before);
  for (const Op& op : ops) BETR_RETURN_IF_ERROR(batch.Apply(op));
  BETR_ASSIGN_OR_RETURN(Change change, batch.TakeChange());
  BETR_RETURN_IF_ERROR(before_publish(*change.state));
  Publish(batch.edit(), std::move(change));
  if (std::ranges::any_of(ops, IsClone)) backlog_.Grow();
  return absl::OkStatus();
}

absl::StatusOr<StatePtr> Structure::Drain() {
  const Turn turn(*this, Turn::Kind::kUrgent);
  const std::vector<TreeId> busy = fronts_.Busy();
  Relieve({busy.begin(), busy.end()});
  const StatePtr before = fronts_.state();
  dag::Edit edit = Begin(*before);
  TreeTable trees = before->trees;
  Change change;
  for (const TreeId id : busy) {
    for (const SealedPtr& sealed : fronts_.SealAll(id)) {
      BETR_ASSIGN_OR_RETURN(const NodeId root,
                            dag::Insert(edit, trees.Find(id)->root, sealed->messages.Seal(*core_.io)));
      trees.SetRoot(id, root);
    }
    change.emptied.insert(id);
  }
  BETR_RETURN_IF_ERROR(edit.status());
  if (change.emptied.empty()) return before;
  const std::shared_ptr<State> after = Finish(*before, edit);
  after->trees = std::move(trees);
  for (const TreeId id : busy) MeasureRoot(*after, id, core_.FullRoot());
  change.state = after;
  Publish(edit, std::move(change));
  return StatePtr(after);
}

uint64_t Structure::DeadNodes() const {
  const MutexLock lock(mutex_);
  return dead_.size();
}

absl::Status Structure::AbsorbBuffers(Signals& signals) {
  {
    const Signals::Step step(signals);
    const Turn turn(*this, Turn::Kind::kBackground);
    fronts_.SealLarge(Bytes{1});
  }
  size_t left = fronts_.SealedCount();
  for (int steps = kStepsBeforeCheckpoint; steps > 0; steps -= left == 0 ? 1 : 0) {
    const Signals::Step step(signals);
    const Turn turn(*this, Turn::Kind::kBackground);
    BETR_ASSIGN_OR_RETURN(const bool worked, WorkOnNews());
    if (!worked && left == 0) break;
    if (!worked) {
      BETR_RETURN_IF_ERROR(AbsorbStep().status());
      --left;
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<bool> Structure::Step(Purpose growing, Last last) {
  const Turn turn(*this, Turn::Kind::kBackground);
  growing_ = growing;
  absl::StatusOr<bool> step = NextStep();
  const bool full = absl::IsResourceExhausted(step.status());
  if (!full && (!step.ok() || *step || last.effort == dag::Effort::kFrugal)) return step;
  bool done = false;
  if (full) {
    BETR_ASSIGN_OR_RETURN(done, StepWithoutSpace());
  }
  if (!done && last.effort != dag::Effort::kFrugal) {
    growing_ = last.growing;
    BETR_ASSIGN_OR_RETURN(done, SweepStep(last.effort, full ? Pause::kForOthers : Pause::kAfterEachLook));
  }
  return done ? absl::StatusOr<bool>(true) : step;
}

absl::StatusOr<bool> Structure::NextStep() {
  BETR_ASSIGN_OR_RETURN(bool done, PayBack());
  if (!done) {
    BETR_ASSIGN_OR_RETURN(done, WorkOnNews());
  }
  if (!done && chores_ > 0) {
    --chores_;
    BETR_ASSIGN_OR_RETURN(done, Chore());
  }
  if (!done) {
    BETR_ASSIGN_OR_RETURN(done, AbsorbStep());
    chores_ = done ? kChores : 0;
  }
  if (!done) {
    BETR_ASSIGN_OR_RETURN(done, Chore());
  }
  if (!done) backlog_.Clear();
  return done;
}

void Structure::Look(dag::Reach reach, bool go_on) {
  const Turn turn(*this, Turn::Kind::kUrgent);
  sweeps_.Look(reach);
  if (reach == dag::Reach::kDisk && !go_on) {
    sweeps_.SearchAgain();
    for (const auto& [id, tree] : fronts_.state()->trees) {
      if (!tree.snapshot) sweeps_.StirAnew(id);
    }
  }
}

absl::Status Structure::WithoutSteps(const std::function<absl::Status()>& act) {
  const Turn turn(*this, Turn::Kind::kUrgent);
  return act();
}

void Structure::Wake(const Change& change, const State& after) {
  const auto wake = [&](TreeId id) {
    const Tree* tree = after.trees.Find(id);
    if (tree == nullptr) {
      sweeps_.Forget(id);
    } else if (!tree->snapshot) {
      sweeps_.StirWithNews(id);
    }
  };
  for (const TreeId id : change.emptied) wake(id);
  for (const auto& [id, count] : change.absorbed) wake(id);
}

absl::StatusOr<bool> Structure::WorkOnNews() {
  int trees = kTreesOfStep;
  for (auto id = sweeps_.WithNewsFrom(TreeId{0}); id && trees > 0; id = sweeps_.WithNewsFrom(id->Next()), --trees) {
    BETR_ASSIGN_OR_RETURN(const bool was_pressing, WorkOn(*id, sweeps_.restless().at(*id)));
    if (was_pressing) return true;
  }
  return trees == 0;
}

absl::StatusOr<bool> Structure::WorkOnRestless() {
  Sweeps::Trees& restless = sweeps_.restless();
  int trees = kTreesOfStep;
  for (auto next = restless.begin(); next != restless.end() && trees > 0;) {
    const TreeId id = next->first;
    if (!sweeps_.HasNews(id)) {
      BETR_ASSIGN_OR_RETURN(const bool worth_going_on, WorkOn(id, next->second));
      if (worth_going_on) return true;
      sweeps_.Calm(id);
      --trees;
    }
    next = restless.upper_bound(id);
  }
  return trees == 0;
}

// Returns for a tree with news whether something pressing was done, and for others whether a round of the sweep goes
// on.
absl::StatusOr<bool> Structure::WorkOn(TreeId id, Sweeps::Restless& restless) {
  const bool had_news = sweeps_.HasNews(id);
  sweeps_.SetNews(id, false);
  const StatePtr before = fronts_.state();
  const Tree* tree = before->trees.Find(id);
  if (tree == nullptr || tree->snapshot) return false;
  dag::Edit edit = BeginWork(*before);
  sweeps_.Prepare(id, HeightOf(*before, id), had_news, restless);
  const size_t left_out = left_out_.EdgeCount();
  const absl::StatusOr<dag::WorkResult> result = dag::Work(edit, tree->root, restless.sweep);
  if (!result.ok()) {
    BETR_ASSIGN_OR_RETURN(const bool is_new, LeaveOut(result.status(), left_out));
    sweeps_.SetNews(id, is_new && had_news);
    return is_new;
  }
  sweeps_.SetNews(id, result->pressing);
  if (result->changed) {
    if (const absl::Status space = PublishRoot(*before, edit, id, result->root); !space.ok()) {
      sweeps_.SetNews(id, had_news);
      return space;
    }
  }
  return had_news ? result->pressing : sweeps_.GoesOn(result->done, restless);
}

absl::StatusOr<bool> Structure::AbsorbStep() {
  const auto oldest = fronts_.OldestSealed();
  if (!oldest) return false;
  const auto& [id, sealed] = *oldest;
  const StatePtr before = fronts_.state();
  dag::Edit edit = Begin(*before);
  BETR_ASSIGN_OR_RETURN(const NodeId root,
                        dag::Insert(edit, before->trees.Find(id)->root, sealed->messages.Seal(*core_.io)));
  BETR_RETURN_IF_ERROR(PublishRoot(*before, edit, id, root, {.absorbed = {{id, 1}}}));
  return true;
}

absl::StatusOr<std::optional<Bound>> Structure::CompactStep(TreeId id, const Bound& from) {
  const Turn turn(*this, Turn::Kind::kBackground);
  if (from == Range::All().lo) {
    BETR_ASSIGN_OR_RETURN(const bool lowered, LowerStep(id));
    if (lowered) {
      return from;  // otherwise flushing would do all of this in one edit
    }
  }
  const StatePtr before = fronts_.state();
  const Tree* tree = before->trees.Find(id);
  if (tree == nullptr) return NoSuchTree(id);
  dag::Edit edit = Begin(*before);
  BETR_ASSIGN_OR_RETURN(const dag::Flushed flushed, dag::FlushFrom(edit, tree->root, from, core_.shape.node_size));
  BETR_RETURN_IF_ERROR(PublishRoot(*before, edit, id, flushed.root));
  return flushed.next;
}

}  // namespace betr::store
