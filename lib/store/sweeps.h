// SPDX-License-Identifier: Apache-2.0
// Which trees may need background work, and its position in each of them (dag/change/work.h). A sweep passes the nodes
// of all trees. So one whole round of one sweep that finds nothing serves all trees that were stirred before it began;
// only the roots of these are looked at then.
//
// Threads: one at a time. Cost: O(log trees) a call, except for Restless.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>

#include "betr/units.h"
#include "dag/change/lower.h"
#include "dag/change/work.h"

namespace betr::store {

class Sweeps {
 public:
  // Where background work is in a tree that may need some.
  struct Restless {
    dag::Sweep sweep;
    uint64_t since = 0;  // stirs when it got restless last
    uint64_t began = 0;  // stirs when the sweep's round began
  };
  using Trees = std::map<TreeId, Restless>;

  // The tree gets a turn of background work; with news, if it had none before.
  Restless& Stir(TreeId id);
  // The same, with news.
  Restless& StirWithNews(TreeId id);
  // The same, from the begin: a round that has begun would end without having looked at all that was asked for.
  void StirAnew(TreeId id);
  // Those that may need some; whoever finds that one does not calms it.
  Trees& restless() { return restless_; }
  void Calm(TreeId id);

  // Something arrived at the root of a restless tree, or went on from it.
  bool HasNews(TreeId id) const { return news_.contains(id); }
  void SetNews(TreeId id, bool news);
  // The first tree with news from `id` on.
  std::optional<TreeId> WithNewsFrom(TreeId id) const;

  // How far sweeps look from now on.
  void Look(dag::Reach reach) { reach_ = reach; }
  // Tall trees are searched for levels to take off, whatever the last search has found.
  void SearchAgain() { lower_again_.clear(); }

  // Before a step of a tree's work: makes its sweep ready. `had_news`: only what is pressing is asked for, and where
  // many have news, one of them looks around.
  void Prepare(TreeId id, dag::Height height, bool had_news, Restless& restless);
  // After a step without news: whether a round of the sweep goes on or another one is due. `done`: as of the step.
  bool GoesOn(bool done, const Restless& restless);

  // The sweep of a tree when there is no space for other work, or nothing else to do (Structure::SweepStep).
  struct ForSpace {
    dag::Sweep sweep;
    bool is_whole = false;           // the round has looked at all so far, and found nothing
    std::weak_ptr<const void> seen;  // the state in which it has
  };
  // `is_first`: it comes by the nodes of all; of the other trees only the roots are left to look at.
  ForSpace& SweepForSpace(TreeId id, dag::Height height, dag::Effort effort, bool is_first);

  // Whether a tree of this height is worth searching for levels to take off: nothing, if it is not tall.
  dag::LowerAgain* LowerAgainOf(TreeId id, dag::Height height);

  // Forgets a tree that is gone, but for its turn, which whoever takes it removes.
  void Forget(TreeId id);

 private:
  bool IsSwept(const Restless& restless) const { return restless.since <= swept_; }

  Trees restless_;
  std::set<TreeId> news_;  // of them
  uint64_t stirs_ = 0;
  uint64_t swept_ = 0;  // Restless::began of the last round that found nothing
  dag::Reach reach_ = dag::Reach::kMemory;
  std::map<TreeId, ForSpace> for_space_;
  std::map<TreeId, dag::LowerAgain> lower_again_;  // of tall trees
};

}  // namespace betr::store
