// SPDX-License-Identifier: Apache-2.0
#include "dag/change/work.h"

#include <absl/functional/function_ref.h>

#include <utility>

#include "base/status.h"
#include "dag/change/child.h"
#include "dag/change/heal.h"
#include "dag/change/job.h"
#include "dag/change/split.h"

namespace betr::dag {
namespace {

// A step of the sweep that finds nothing to do ends after kLooks looks at interior nodes, or once it has passed kIds
// ids. A node that has to be read counts as kLooksOfRead looks. If erases may have to be looked for in blocks on disk,
// because nobody has counted them, each node counts as kLooksForErases.
constexpr int kLooks = 64;
constexpr int kLooksOfRead = 16;
constexpr int kLooksForErases = 64;
constexpr int kIds = 4096;

// A node on a path of private nodes down from the root.
struct Spot {
  NodeId id;
  NodePtr node;
  Bound at;       // where the path goes on, in the node's space
  Affix to_root;  // from the node's space
};

class Step {
 public:
  Step(Edit& edit, NodeId root, Sweep& sweep) : edit_(edit), root_(root), sweep_(sweep) {}

  absl::StatusOr<WorkResult> Run() {
    BETR_ASSIGN_OR_RETURN(const NodePtr root, edit_.Load(root_));
    if (sweep_.effort != Effort::kAll) return LookAround(*root);
    const std::optional<Bound> hot = std::exchange(sweep_.hot, std::nullopt);
    for (const auto& way : {hot, PressingChild(*root)}) {
      if (way && !edit_.Shared(root_)) {
        BETR_RETURN_IF_ERROR(FollowHotWay({root_, root, *way, {}}));
        if (Worked()) return Changed(true);
      }
    }
    if (hot && !edit_.Shared(root_)) {
      BETR_RETURN_IF_ERROR(FlushErasesOn({root_, root, *hot, {}}));
      if (Worked()) {
        return Changed(TooLarge(*root, edit_.shape()) ||
                       FlushIfOverfull(edit_, root_, *root, Sharing::kBreak).has_value());
      }
    }
    if (TooLarge(*root, edit_.shape())) {
      BETR_RETURN_IF_ERROR(DoAtRoot(nullptr));
      return Changed(true);
    }
    if (const auto job = FlushIfOverfull(edit_, root_, *root, Sharing::kBreak)) {
      sweep_.hot = root->edges[job->edge].link.range.lo;
      BETR_RETURN_IF_ERROR(Try(root_, *root, *job, [&] { return DoAtRoot(&*job); }));
      if (Worked()) return Changed(true);
    }
    return LookAround(*root);
  }

 private:
  WorkResult Changed(bool pressing) const { return {root_, true, true, pressing}; }

  // Whether anything was done. A job is found by what is in memory. If some of that has left memory by the time the job
  // is done, the job does nothing. Counting that as work could go on for ever, since the job would be found again and
  // again.
  bool Worked() const { return !edit_.changed().empty(); }

  // Goes one level down, to a private interior child that is in memory and holds no more than the edge shows. False if
  // there is no such child.
  bool GoDown(Spot& spot) const {
    const Edge& edge = spot.node->edges[spot.node->EdgeAfter(spot.at)];
    if (spot.node->height < 2 || edge.link.Null() || ChildShared(edit_, edge)) return false;
    NodePtr child = edit_.Peek(edge.link.target);
    if (child == nullptr || child->height + 1 != spot.node->height || child->bounds != edge.link.Image()) return false;
    spot.at = edge.link.Map(spot.at);
    spot.to_root.Descend(edge.link.range.Lcp(), edge.link.translation);
    spot.id = edge.link.target;
    spot.node = std::move(child);
    return true;
  }

  // Returns where the edge of an over-full child of the root begins, if something can be done about that child. Looks
  // only at private children in memory.
  std::optional<Bound> PressingChild(const Node& root) const {
    for (const Edge& edge : root.edges) {
      const bool open = root.height > 1 && !edge.link.Null() && !ChildShared(edit_, edge);
      const NodePtr child = open ? edit_.Peek(edge.link.target) : nullptr;
      if (child != nullptr && child->Size() > edit_.shape().node_size &&
          FlushIfOverfull(edit_, edge.link.target, *child, Sharing::kBreak)) {
        return edge.link.range.lo;
      }
    }
    return std::nullopt;
  }

  // Does what the lowest node of the path needs. So a node has found room for what came into it before more comes.
  absl::Status FollowHotWay(Spot spot) {
    std::optional<std::pair<Spot, Job>> lowest;
    do {
      const size_t index = spot.node->EdgeAfter(spot.at);
      std::optional<Job> job = TidyIfNeeded(edit_, spot.id, *spot.node, index, Reach::kMemory);
      if (!job && spot.id != root_) job = FlushIfOverfull(edit_, spot.id, *spot.node, Sharing::kBreak);
      if (job) {
        const size_t goes_on = job->kind == Job::kFlush ? job->edge : index;
        sweep_.hot = spot.to_root.Read(spot.node->edges[goes_on].link.range.lo);
        lowest.emplace(spot, *job);
      }
    } while (GoDown(spot));
    return lowest ? Do(lowest->first.id, *lowest->first.node, lowest->second) : absl::OkStatus();
  }

  // Flushes erases at the lowest node of the path where many wait. Those of the root are left to the sweep, since the
  // root stays in memory.
  absl::Status FlushErasesOn(Spot spot) {
    std::optional<std::pair<Spot, Job>> lowest;
    while (GoDown(spot)) {
      if (const auto job = FlushErases(edit_, spot.id, *spot.node)) lowest.emplace(spot, *job);
    }
    if (!lowest) return absl::OkStatus();
    const auto& [where, job] = *lowest;
    sweep_.hot = where.to_root.Read(where.node->edges[job.edge].link.range.lo);
    return Do(where.id, *where.node, job);
  }

  // One step of the sweep.
  absl::StatusOr<WorkResult> LookAround(const Node& root) {
    if (sweep_.next == kNoNode) {
      sweep_.worked = false;
      const bool worth_lowering = sweep_.lower == nullptr || sweep_.lower->Due(root.height);
      sweep_.lowering = worth_lowering ? SharingToLower(edit_, root_) : Sharing::kKeep;
      if (LevelTooMany(edit_, root, sweep_.lowering)) {
        BETR_RETURN_IF_ERROR(DoAtRoot(nullptr));
        if (Worked()) return Changed(true);
      }
      if (Tall()) {
        BETR_ASSIGN_OR_RETURN(root_, LowerTop(edit_, root_, sweep_.lowering));
        if (Worked()) {
          NoteLowered(root.height, true);
          return Changed(true);
        }
      }
      if (worth_lowering) NoteLowered(root.height, false);
    }
    if (sweep_.root_only && !Tall()) {
      sweep_.next = kNoNode;
      return WorkResult{root_, false, false, false};
    }
    int looks = kLooks;
    for (int ids = kIds; looks > 0 && ids > 0; --ids) {
      NodeId id = sweep_.next;
      const NodeRecord* record = edit_.table().FindFrom(id);
      if (record == nullptr) {
        sweep_.next = kNoNode;
        if (Tall() && sweep_.worked) {
          NoteLowered(root.height, true);  // after these changes another round may find levels to take off
        }
        return WorkResult{root_, sweep_.worked, false, false};
      }
      if (!record->Dead() && record->height > 0) {
        looks -= LooksAt(id);
        BETR_RETURN_IF_ERROR(LookAt(id));
        if (Worked()) {
          sweep_.next = id;
          sweep_.worked = true;
          return Changed(Tall());
        }
      }
      sweep_.next = id.Next();
    }
    return WorkResult{root_, true, false, false};
  }

  int LooksAt(NodeId id) const {
    const bool is_in_memory = edit_.Peek(id) != nullptr;
    if (sweep_.reach == Reach::kMemory) return is_in_memory ? 1 : 0;
    return sweep_.effort == Effort::kErases ? kLooksForErases : is_in_memory ? 1 : kLooksOfRead;
  }

  void NoteLowered(Height height, bool found) const {
    if (sweep_.lower != nullptr) sweep_.lower->Note(height, found);
  }

  absl::Status LookAt(NodeId id) {
    const NodePtr node = sweep_.reach == Reach::kMemory ? edit_.Peek(id) : edit_.Load(id).value_or(nullptr);
    edit_.counters().nodes_swept += node == nullptr ? 0 : 1;
    const auto job = node == nullptr ? std::nullopt : FindJob(edit_, id, *node, Mode(), sweep_.effort);
    return job ? Do(id, *node, *job) : absl::OkStatus();
  }

  // Whether the tree was found to be taller than explained when the round began.
  bool Tall() const { return sweep_.lowering != Sharing::kKeep; }
  HealMode Mode() const { return {sweep_.lowering, sweep_.reach}; }

  static bool TakesChild(const Job& job) { return job.kind == Job::kFlush || job.kind == Job::kTidyChild; }
  bool MayBeLeftOut(const Edge& edge) const {
    return !edge.link.Null() && (!edit_.LeavesOutNothing() || !edge.link.translation.empty());
  }

  absl::Status Do(NodeId id, const Node& now, const Job& job) {
    return Try(id, now, job, [&] { return DoNow(id, now, job); });
  }

  // Does a job by calling `act`, unless its edge is left out (left_out.h). If something cannot be read, the edge is
  // left out from then on.
  absl::Status Try(NodeId id, const Node& node, const Job& job, absl::FunctionRef<absl::Status()> act) {
    const Edge& edge = node.edges[job.edge];
    if (TakesChild(job) && edit_.context().left_out != nullptr && MayBeLeftOut(edge)) {
      // Loads the child, since only a child in memory tells whether it may get more.
      if (edit_.Load(edge.link.target).ok() && TooLongToTake(edit_, edge, Reach::kMemory)) {
        edit_.context().left_out->NoteTooLong();
      }
      if (!WhyLeftOut(edit_, id, edge).ok()) return absl::OkStatus();
    }
    absl::Status done = act();
    if (edit_.context().left_out != nullptr && IsUnreadable(done)) {
      edit_.context().left_out->AddEdge(id, edge.link.range.lo, done);
    }
    return done;
  }

  absl::Status DoNow(NodeId id, const Node& now, const Job& job) {
    if (id == root_ && !edit_.Shared(id)) return DoAtRoot(&job);
    Node node = now;
    BETR_RETURN_IF_ERROR(DoJob(edit_, node, job, Mode()));
    if (node != now) edit_.Rearrange(id, std::move(node));
    return edit_.status();
  }

  // Does a job at the root, if there is one, and puts the root back healed.
  absl::Status DoAtRoot(const Job* job) {
    BETR_ASSIGN_OR_RETURN(OwnChild own, TakeRoot(edit_, root_));
    if (job != nullptr) BETR_RETURN_IF_ERROR(DoJob(edit_, own.node, *job, Mode()));
    BETR_ASSIGN_OR_RETURN(root_, PutHealedRoot(edit_, std::move(own), sweep_.lowering));
    return absl::OkStatus();
  }

  Edit& edit_;
  NodeId root_;
  Sweep& sweep_;
};

}  // namespace

absl::StatusOr<WorkResult> Work(Edit& edit, NodeId root, Sweep& sweep) { return Step(edit, root, sweep).Run(); }

}  // namespace betr::dag
