// SPDX-License-Identifier: Apache-2.0
// The only structural writer of a store. Every change of nodes is prepared here in an edit that nobody sees, and
// published in one step. Readers and writers of points go on meanwhile.
//
// Threads: any; callers take turns. A caller for which a user waits goes before background steps.
#pragma once

#include <absl/status/statusor.h>

#include <atomic>
#include <functional>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "base/mutex.h"
#include "betr/write_batch.h"
#include "dag/change/edit.h"
#include "dag/change/prune.h"
#include "dag/change/work.h"
#include "store/backlog.h"
#include "store/core.h"
#include "store/fronts.h"
#include "store/headroom.h"
#include "store/signals.h"
#include "store/sweeps.h"

namespace betr::store {

class Structure {
 public:
  // What Step does last. With kErases or kEverything, what waits on its way moves on; `growing` is what it asks space
  // for.
  struct Last {
    dag::Effort effort = dag::Effort::kFrugal;
    Purpose growing = Purpose::kGrow;
  };

  Structure(Core& core, Fronts& fronts);

  // Called with the state to be published, when nothing else can fail any more. If it returns an error, nothing is
  // published.
  using BeforePublish = std::function<absl::Status(const State& after)>;
  // Applies a batch that holds clones, renames, new or dropped trees. All of it becomes visible in one step. First
  // moves what is buffered in front of the trees concerned into their roots. Errors: loading a node fails. The caller
  // must exclude kNotFound and kInvalidArgument (write_path.cc). Requires: no other writer meanwhile.
  absl::Status ApplyBatch(std::span<const Op> ops, const BeforePublish& before_publish);

  // Moves all buffers into the roots and returns the state that has everything.
  // Requires: no other writer meanwhile.
  absl::StatusOr<StatePtr> Drain();

  // Seals and absorbs the present buffers, one a turn, so that Drain has little left to do. Between them and after the
  // last one it does what is pressing, so that no root becomes much larger than a node should be. Each turn is a step
  // beside writers (signals.h). Requires: the caller is in no step, and holds no writers.
  absl::Status AbsorbBuffers(Signals& signals);

  // Makes one step of background work, the first of these that there is:
  //   - reclaiming a dead node, if nodes were made since the last one;
  //   - what is pressing in a tree that has news (dag/change/work.h);
  //   - absorbing a sealed buffer;
  //   - reclaiming a dead node;
  //   - a step of a tree's sweep.
  // After a buffer, the last two get some turns before the next buffer. If there is no space for what the step makes,
  // reclaiming and frugal work come first. `growing` says what to ask space for if the step makes the store larger.
  // `last` is done if there is nothing else to do, or no space for it.
  // Returns false if there was nothing to do. Returns true also if it only looked at some nodes and there are more to
  // look at, since others may want their turn. Errors: kResourceExhausted; a checkpoint, or deletes, may help.
  absl::StatusOr<bool> Step(Purpose growing, Last last);
  absl::StatusOr<bool> Step() { return Step(Purpose::kGrow, {}); }
  // Whether work was left over during several batches with clones. If so, a caller that writes such a batch makes some
  // steps. Takes no turn.
  bool IsFarBehind() const { return backlog_.IsLong(); }
  // Sets how far sweeps look from now on. With Reach::kDisk, every tree gets a new sweep, or with `go_on` continues the
  // one that it has.
  void Look(dag::Reach reach, bool go_on = false);

  // Runs `act` while no step is under way.
  absl::Status WithoutSteps(const std::function<absl::Status()>& act);

  // Flushes the leaf of a tree that lies behind `from`, or a few small ones. Returns where to go on, or nothing at the
  // end. At the beginning of a tree that is too tall it first takes levels off, in calls of their own.
  // Errors: kNotFound, kResourceExhausted.
  absl::StatusOr<std::optional<Bound>> CompactStep(TreeId tree, const Bound& from);

  // Returns why these changes must not be added to what waits for something that is left out, or ok if they may.
  absl::Status CheckStuck(std::span<const Op> ops) const;

  uint64_t DeadNodes() const;
  // Whether less than a quarter of the space is free beside the reserve. Then work that gives space back is worth its
  // I/O.
  bool SpaceIsShort() const;

 private:
  class Turn;

  // Messages in a root that cannot move on, so many that no more should come.
  struct Stuck {
    TreeId tree;
    Range range;
    // Where they lie, if there are so many that only a change that supersedes all of them is let in there.
    std::optional<Range> waiting;
    absl::Status why;
  };

  dag::Edit Begin(const State& state) { return {state.table, state.next_node, core_.DagContext()}; }
  // The same for background work, which leaves out what cannot be read.
  dag::Edit BeginWork(const State& state);
  // Handles the error of a step that has failed. Returns whether the step left out something new; if not, the same step
  // would fail again. An error that is not one of reading is returned.
  absl::StatusOr<bool> LeaveOut(const absl::Status& failed, size_t left_out_before);
  void FindStuck(const State& state);
  static bool MayGoTo(const Stuck& stuck, const Op& op);
  // The state after an edit, and the nodes that died in it.
  std::shared_ptr<State> Finish(const State& before, const dag::Edit& edit);
  void Remember(const dag::Edit& edit);
  // Whether an edit may be published.
  absl::Status CheckSpace(const State& before, const dag::Edit& edit, const State& after) const;
  // Makes an edit visible, and takes note of what it brings: dead nodes, news, and what cannot move on.
  void Publish(const dag::Edit& edit, Change change);
  // The same for a new root of a tree, if there is space for it. `change`: without the state.
  absl::Status PublishRoot(const State& before, const dag::Edit& edit, TreeId id, NodeId root, Change change = {});

  // Makes a step of a pass that drops what no path shows any more (dag/change/prune.h), if space is short. A pass
  // begins when an eighth of the nodes are new since the last one.
  absl::StatusOr<bool> PruneStep();

  // Work in the next tree, of those with news or of those without. Return true also if they passed many trees and there
  // may be more, since each may have to be read.
  absl::StatusOr<bool> WorkOnNews();
  absl::StatusOr<bool> WorkOnRestless();
  absl::StatusOr<bool> WorkOn(TreeId id, Sweeps::Restless& restless);
  // Does what is pressing in trees, as long as a root holds so many bounds that together with what is in front of it it
  // might become too large to be stored. Makes some dozens of flushes at most. Any error, including lack of space, ends
  // it; whoever needs what failed will be told.
  void Relieve(const std::set<TreeId>& trees);
  // Takes levels off trees that have got tall because clones and renames come faster than background work can do so.
  // Then the callers that make them do it. Reads what that takes. An error ends it, as above.
  void Lower(const std::set<TreeId>& trees);
  // Makes one step of that (dag/change/lower.h), if the tree is taller than its content explains. False if there is
  // nothing to do.
  absl::StatusOr<bool> LowerStep(TreeId id);
  // Makes the trees restless whose roots got what was in front of them, if `after` still has them and they can be
  // written to. Each step looks at all restless trees.
  void Wake(const Change& change, const State& after);
  absl::StatusOr<bool> NextStep();
  // Reclaims a node, or takes a step of a sweep.
  absl::StatusOr<bool> Chore();
  absl::StatusOr<bool> AbsorbStep();
  absl::StatusOr<bool> ReclaimStep();
  // Reclaims a node for each that was made, as long as there are any. So dead nodes do not pile up, whatever is written
  // and however much of it is pressing.
  absl::StatusOr<bool> PayBack();
  // Does what comes first when there is no space for the next step.
  absl::StatusOr<bool> StepWithoutSpace();
  // When a sweep that has found nothing yet lets others have their turn.
  enum class Pause : uint8_t {
    kAfterEachLook,  // at some nodes
    kForOthers,      // if somebody waits: what comes before the next step is no less work
  };
  // Makes a step of a sweep for which there is space, or goes a part of the way to it. False if a whole round has found
  // none.
  absl::StatusOr<bool> SweepStep(dag::Effort effort, Pause pause);
  absl::StatusOr<bool> SweepStep(const Tree& tree, Sweeps::ForSpace& found, Pause pause);
  bool OthersWait();

  Core& core_;
  Fronts& fronts_;
  Mutex turn_mutex_;
  Condition turn_over_;
  bool is_taken_ ABSL_GUARDED_BY(turn_mutex_) = false;
  int urgent_ ABSL_GUARDED_BY(turn_mutex_) = 0;  // who wait, and go before background steps
  // Of the one who has the turn:
  Sweeps sweeps_;
  Backlog backlog_;
  std::optional<dag::Prune> prune_;
  uint64_t prune_at_ = 0;             // nodes created and reclaimed before the next pass is worth beginning
  uint64_t made_ = 0;                 // nodes for which none was reclaimed yet
  int chores_ = 0;                    // that come before the next sealed buffer, so that they need no lull to be done
  Purpose growing_ = Purpose::kGrow;  // what to ask space for if a step makes the store larger
  dag::LeftOut left_out_;
  std::atomic<bool> has_stuck_{false};
  mutable Mutex mutex_;
  std::set<NodeId> dead_ ABSL_GUARDED_BY(mutex_);  // but for those that cannot be read
  std::vector<Stuck> stuck_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace betr::store
