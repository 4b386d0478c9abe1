// SPDX-License-Identifier: Apache-2.0
// How a batch gets in: it is checked, admitted and logged, and then becomes visible in one step. What happens if there
// is no space for it is in make_room.cc.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "base/check.h"
#include "base/clock.h"
#include "base/escape.h"
#include "base/status.h"
#include "dag/partition.h"
#include "layout/superblock.h"
#include "store/batch_codec.h"
#include "store/impl.h"
#include "store/log/log_area.h"
#include "store/small_copy.h"
#include "store/upsert_names.h"

namespace betr {
namespace {

constexpr Bytes kMessageOverhead{64};  // at most, of a message in a buffer or a block, besides what it has in the log

// Whether the change makes the store smaller in the end. Then it is let in even if there is no space.
bool Frees(const Op& op) {
  return op.kind == OpKind::kErase || op.kind == OpKind::kEraseRange || op.kind == OpKind::kDropTree;
}

// Whether the space that the change frees comes back only after background work.
bool LeavesWork(const Op& op) { return op.kind == OpKind::kEraseRange || store::IsStructural(op); }

// Whether the change may make a tree taller: a clone of a whole tree needs a level above its root.
bool MayAddLevel(const Op& op) { return op.kind == OpKind::kClonePrefix || op.kind == OpKind::kRenamePrefix; }

// Checks what a batch assumes of the trees, change after change. The copy of the trees shares all that the batch does
// not change.
class TreeCheck {
 public:
  explicit TreeCheck(const store::State& state) : trees_(state.trees), next_(state.next_tree) {}

  absl::Status Check(Op& op) {
    switch (op.kind) {
      case OpKind::kCreateTree:
        return Add(op, false);
      case OpKind::kSnapshot:
        BETR_RETURN_IF_ERROR(Exists(op.tree, false));
        return Add(op, true);
      case OpKind::kDropTree:
        BETR_RETURN_IF_ERROR(Exists(op.tree, false));
        trees_.Remove(op.tree);
        return absl::OkStatus();
      case OpKind::kClonePrefix:
        BETR_RETURN_IF_ERROR(Exists(op.tree, false));
        return Exists(op.to_tree, true);
      case OpKind::kRenamePrefix:
        BETR_RETURN_IF_ERROR(Exists(op.tree, true));
        return Exists(op.to_tree, true);
      default:
        return Exists(op.tree, true);
    }
  }

 private:
  absl::Status Exists(TreeId id, bool writable) const {
    const store::Tree* tree = trees_.Find(id);
    if (tree == nullptr) return store::NoSuchTree(id);
    if (writable && tree->snapshot) return store::SnapshotIsReadOnly(*tree);
    return absl::OkStatus();
  }

  absl::Status Add(Op& op, bool snapshot) {
    if (trees_.Size() >= kMaxTrees) {
      return absl::ResourceExhaustedError(
          fmt::format("tree \"{}\": there are {} trees and snapshots, no more are allowed", Escape(op.key), kMaxTrees));
    }
    if (trees_.FindName(op.key) != nullptr) {
      return absl::AlreadyExistsError(fmt::format("tree \"{}\": the name is taken", Escape(op.key)));
    }
    if (op.to_tree == TreeId{}) op.to_tree = next_;
    if (op.to_tree.value >= layout::kMaxCounter) {
      return absl::InvalidArgumentError(
          fmt::format("tree {}: ids are below {}", op.to_tree.value, layout::kMaxCounter));
    }
    if (trees_.Contains(op.to_tree)) {
      return absl::AlreadyExistsError(fmt::format("tree {}: there is one already", op.to_tree.value));
    }
    next_ = std::max(next_, op.to_tree.Next());
    trees_.Set({op.to_tree, op.key, kNoNode, {}, snapshot});
    return absl::OkStatus();
  }

  store::TreeTable trees_;
  TreeId next_;
};

// Adds to an error which of several changes it is about.
absl::Status OfChange(std::span<const Op> ops, size_t place, const absl::Status& status) {
  if (status.ok() || ops.size() == 1) return status;
  return Annotate(status, fmt::format("change {} ({})", place, store::OpKindName(ops[place].kind)));
}

}  // namespace

absl::Status Store::Impl::MayWriteTo(TreeId tree) const {
  BETR_RETURN_IF_ERROR(MayWrite());
  BETR_RETURN_IF_ERROR(core_->health.status());
  Op op;
  op.tree = tree;
  return TreeCheck(*fronts_.state()).Check(op);
}

absl::Status Store::Impl::CheckOps(std::span<Op> ops) const {
  const store::StatePtr state = fronts_.state();
  TreeCheck trees(*state);
  for (size_t i = 0; i < ops.size(); ++i) BETR_RETURN_IF_ERROR(OfChange(ops, i, trees.Check(ops[i])));
  return store::ValidateOps(ops);
}

absl::Status Store::Impl::CheckNewIds(std::span<const Op> ops) const {
  const TreeId next = fronts_.state()->next_tree;
  for (size_t i = 0; i < ops.size(); ++i) {
    const Op& op = ops[i];
    const bool is_new = op.kind == OpKind::kCreateTree || op.kind == OpKind::kSnapshot;
    if (is_new && op.to_tree != TreeId{} && op.to_tree < next) {
      return OfChange(
          ops, i, absl::AlreadyExistsError(fmt::format("tree {}: the id was given to another one", op.to_tree.value)));
    }
  }
  return absl::OkStatus();
}

absl::Status Store::Impl::CheckTargets(std::span<const Op> ops) const {
  store::StatePtr state;
  TreeId last;
  for (const Op& op : ops) {
    if (store::IsStructural(op) || op.tree == last) continue;
    last = op.tree;
    if (fronts_.IsBusy(op.tree)) continue;
    // This is the first message in front of the root. It must be able to get into the root, or no checkpoint would end
    // any more.
    if (state == nullptr) state = fronts_.state();
    if (const store::Tree* tree = state->trees.Find(op.tree)) {  // if there is none, the batch makes it
      const dag::NodeRecord* root = state->table.Find(tree->root);
      if (root == nullptr) {
        return absl::DataLossError(
            fmt::format("node {}: is a tree's root, but not in the node table", tree->root.value));
      }
      BETR_RETURN_IF_ERROR(root->slot->Peek() == nullptr ? root->slot->Get().status() : absl::OkStatus());
    }
  }
  return structure_.CheckStuck(ops);
}

store::Pledge Store::Impl::PledgeFor(std::span<const Op> ops) const {
  std::map<TreeId, Bytes> messages;
  for (const Op& op : ops) {
    if (!store::IsStructural(op)) messages[op.tree] += store::EncodedSize(op) + kMessageOverhead;
  }
  return {*core_->space, std::move(messages)};
}

absl::Status Store::Impl::HaveSpace(const store::State& after, const store::Pledge& pledge,
                                    store::Purpose purpose) const {
  return store::CheckHeadroom(*core_, fronts_, after, purpose, &pledge);
}

absl::Status Store::Impl::AppendToLog(std::string_view record) {
  if (!Logged()) return absl::OkStatus();
  absl::Status status = log_->Append(log_->LastLsn().Next(), record);
  CountLogMemory();
  if (!log_->status().ok()) core_->health.Fail(log_->status());
  return status;
}

absl::Status Store::Impl::ApplyOps(std::span<const Op> ops, const BeforePublish& before_publish) {
  if (std::none_of(ops.begin(), ops.end(), store::IsStructural)) return ApplyPoints(ops, before_publish);
  BETR_ASSIGN_OR_RETURN(const std::vector<Op> plain,
                        store::CopySmallSources(*fronts_.Pin(), ops, core_->CopyLimit(), core_->options.functions));
  if (std::none_of(plain.begin(), plain.end(), store::IsStructural)) return ApplyPoints(plain, before_publish);
  const store::Pledge pledge = PledgeFor(plain);
  BETR_RETURN_IF_ERROR(
      structure_.ApplyBatch(plain, [&](const store::State& after) { return before_publish(after, pledge, plain); }));
  core_->waiting += pledge.Size().value;
  return absl::OkStatus();
}

absl::Status Store::Impl::ApplyPoints(std::span<const Op> ops, const BeforePublish& before_publish) {
  const store::Pledge pledge = PledgeFor(ops);
  const auto prepare = [&] { return before_publish(*fronts_.state(), pledge, ops); };
  absl::Status status = prepare();
  if (absl::IsResourceExhausted(status)) {
    // What a step has made and not published yet is promised space too. So asks again while no step is under way.
    status = structure_.WithoutSteps(prepare);
  }
  BETR_RETURN_IF_ERROR(status);
  fronts_.Apply(ops);
  core_->waiting += pledge.Size().value;
  return absl::OkStatus();
}

dag::Height Store::Impl::TallestStable() {
  const store::StatePtr stable = checkpointer_.stable();
  if (stable != measured_.lock()) {
    tallest_ = 1;  // trees that come later begin with this height
    for (const auto& [id, tree] : stable->trees) tallest_ = std::max(tallest_, store::HeightOf(*stable, id));
    measured_ = stable;
  }
  return tallest_;
}

bool Store::Impl::MayBeTooTallToReplay(std::span<const Op> ops) {
  constexpr uint64_t kSpare = 10;  // for roots that are split because of what is in them
  const auto coming = static_cast<uint64_t>(std::ranges::count_if(ops, MayAddLevel));
  if (coming == 0) return false;
  const uint64_t grown = fronts_.state()->levels - checkpointer_.stable()->levels;
  return TallestStable() + grown + coming + kSpare > dag::kMaxHeight;
}

BatchSize Store::Impl::MaxBatch() const {
  BatchSize most = store::kMaxBatch;
  if (Logged()) most.bytes = std::min(most.bytes, store::MaxLogPayload(store::LogAreaOf(core_->superblock)));
  return most;
}

absl::Status Store::Impl::ApplyAndLog(std::span<const Op> ops, store::Purpose purpose) {
  const std::string record = Logged() ? store::EncodeBatch(ops) : std::string();
  if (Logged()) BETR_RETURN_IF_ERROR(MakeLogRoom(Bytes{record.size()}));
  if (Logged() && MayBeTooTallToReplay(ops)) BETR_RETURN_IF_ERROR(CheckpointHoldingWriters());
  const auto apply = [&](std::span<const Op> changes, store::Purpose as) {
    const auto before_publish = [&](const store::State& after, const store::Pledge& pledge, std::span<const Op> plain)
                                    ABSL_EXCLUSIVE_LOCKS_REQUIRED(write_mutex_) {
                                      BETR_RETURN_IF_ERROR(CheckTargets(plain));
                                      BETR_RETURN_IF_ERROR(HaveSpace(after, pledge, as));
                                      return AppendToLog(record);
                                    };
    return ApplyOps(changes, before_publish);
  };
  absl::Status status = apply(ops, purpose);
  if (absl::IsResourceExhausted(status) && purpose == store::Purpose::kDelete && only_deletes_left_) {
    status = ApplyLast(ops, apply).status;
  } else {
    only_deletes_left_ = false;
  }
  return absl::IsResourceExhausted(status) ? ApplyWithRoom(ops, apply, purpose) : status;
}

void Store::Impl::NoteWork(std::span<const Op> ops) {
  const bool leaves_work = std::any_of(ops.begin(), ops.end(), LeavesWork);
  const bool erases = std::any_of(ops.begin(), ops.end(), [](const Op& op) { return op.kind == OpKind::kErase; });
  if (leaves_work) {
    unsettled_ = true;
    swept_ = false;
    rest_ = 0;
    freeing_ = 2;
  }
  last_write_ns_ = SystemClock().Monotonic().count();
  if (erases) erased_ = true;
  if ((leaves_work || erases) && !unsettled_when_short_) unsettled_when_short_ = structure_.SpaceIsShort();
  store::NoteFunctions(ops, core_->options.functions, functions_in_use_);
}

absl::Status Store::Impl::Write(std::span<Op> ops, store::Purpose purpose) {
  if (ops.empty()) return absl::OkStatus();
  BETR_RETURN_IF_ERROR(MayWrite());
  for (;;) {
    BETR_RETURN_IF_ERROR(WaitForRoom());  // without the lock: checkpoints, which make room, need it
    const MutexLock lock(write_mutex_);
    if (!MustWait()) {  // others that waited may have used up the room
      return WriteAlone(ops, purpose);
    }
  }
}

absl::Status Store::Impl::WriteAlone(std::span<Op> ops, store::Purpose purpose) {
  BETR_RETURN_IF_ERROR(CheckOpen());  // the store may have been closed meanwhile
  BETR_RETURN_IF_ERROR(core_->health.status());
  const BatchSize size = store::SizeOf(ops);
  BETR_RETURN_IF_ERROR(store::CheckSize(size, MaxBatch()));
  BETR_RETURN_IF_ERROR(CheckNewIds(ops));
  BETR_RETURN_IF_ERROR(CheckOps(ops));
  if (const auto unknown = store::UnknownFunction(ops, core_->options.functions)) {
    const auto at =
        std::ranges::find_if(ops, [&](const Op& op) { return op.kind == OpKind::kUpsert && op.function == *unknown; });
    return OfChange(
        ops, static_cast<size_t>(at - ops.begin()),
        absl::InvalidArgumentError(fmt::format("upsert function {}: this program has not registered it", *unknown)));
  }
  if (std::all_of(ops.begin(), ops.end(), Frees)) purpose = store::Purpose::kDelete;
  BETR_RETURN_IF_ERROR(ApplyAndLog(ops, purpose));
  core_->counters.bytes_batches += size.bytes.value;
  core_->counters.changes += size.changes;
  NoteWork(ops);
  if (fronts_.SealLarge(core_->SealSize()) || std::any_of(ops.begin(), ops.end(), store::IsStructural)) {
    signals_.Signal();
  }
  // The batch has happened: what goes wrong from here on is the store's failure, not the batch's.
  const bool clones = std::any_of(ops.begin(), ops.end(), store::IsClone);
  const absl::Status worked = !core_->options.background ? WorkInline() : clones ? KeepUp() : absl::OkStatus();
  if (!worked.ok()) core_->health.Fail(worked);
  return absl::OkStatus();
}

}  // namespace betr
