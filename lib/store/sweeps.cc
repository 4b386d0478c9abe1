// SPDX-License-Identifier: Apache-2.0
#include "store/sweeps.h"

#include <algorithm>

#include "dag/change/heal.h"

namespace betr::store {

Sweeps::Restless& Sweeps::Stir(TreeId id) {
  const auto [tree, is_new] = restless_.try_emplace(id);
  if (is_new) news_.insert(id);
  tree->second.since = ++stirs_;
  return tree->second;
}

Sweeps::Restless& Sweeps::StirWithNews(TreeId id) {
  news_.insert(id);
  return Stir(id);
}

void Sweeps::StirAnew(TreeId id) {
  restless_.erase(id);
  StirWithNews(id);
}

void Sweeps::Calm(TreeId id) {
  restless_.erase(id);
  news_.erase(id);
}

void Sweeps::SetNews(TreeId id, bool news) {
  if (news) {
    news_.insert(id);
  } else {
    news_.erase(id);
  }
}

std::optional<TreeId> Sweeps::WithNewsFrom(TreeId id) const {
  const auto found = news_.lower_bound(id);
  return found != news_.end() ? std::optional(*found) : std::nullopt;
}

void Sweeps::Prepare(TreeId id, dag::Height height, bool had_news, Restless& restless) {
  const bool is_swept = IsSwept(restless);
  restless.sweep.reach = reach_;
  restless.sweep.lower = LowerAgainOf(id, height);
  restless.sweep.root_only = is_swept || (had_news && id != restless_.begin()->first);
  if (is_swept && restless.sweep.lowering == dag::Sharing::kKeep) {
    restless.sweep.next = kNoNode;  // the root is looked at, however far the tree's own sweep was
  }
  if (restless.sweep.next == kNoNode) restless.began = stirs_;
}

bool Sweeps::GoesOn(bool done, const Restless& restless) {
  if (!done && !IsSwept(restless)) swept_ = std::max(swept_, restless.began);
  return done || !IsSwept(restless);
}

Sweeps::ForSpace& Sweeps::SweepForSpace(TreeId id, dag::Height height, dag::Effort effort, bool is_first) {
  ForSpace& found = for_space_[id];
  dag::Sweep& sweep = found.sweep;
  if (sweep.reach != reach_ || sweep.effort != effort || sweep.root_only == is_first) {
    found.is_whole = false;  // so far it has looked in another way
  }
  sweep.reach = reach_;
  sweep.effort = effort;
  sweep.root_only = !is_first;
  sweep.lower = LowerAgainOf(id, height);
  return found;
}

dag::LowerAgain* Sweeps::LowerAgainOf(TreeId id, dag::Height height) {
  return height > dag::kHeightToReadFor ? &lower_again_[id] : nullptr;
}

void Sweeps::Forget(TreeId id) {
  for_space_.erase(id);
  lower_again_.erase(id);
}

}  // namespace betr::store
