// SPDX-License-Identifier: Apache-2.0
#include "store/sweeps.h"

#include <algorithm>

#include "dag/heal.h"

namespace betr::store {

Sweeps::Restless& Sweeps::Stir(TreeId id) {
  Restless& restless = restless_[id];
  restless.since = ++stirs_;
  return restless;
}

void Sweeps::StirAnew(TreeId id) {
  restless_[id] = {};
  Stir(id);
}

void Sweeps::Prepare(TreeId id, dag::Height height, bool had_news, Restless& restless) {
  const bool is_swept = IsSwept(restless);
  restless.sweep.reach = reach_;
  restless.sweep.lower = LowerAgainOf(id, height);
  restless.sweep.root_only = is_swept || (had_news && id != restless_.begin()->first);
  if (is_swept && restless.sweep.lowering == dag::Sharing::kKeep) {
    restless.sweep.next = kNoNode;  // however far its own sweep was, the root is looked at
  }
  if (restless.sweep.next == kNoNode) {
    restless.began = stirs_;
  }
}

bool Sweeps::GoesOn(bool done, const Restless& restless) {
  if (!done && !IsSwept(restless)) {
    swept_ = std::max(swept_, restless.began);
  }
  return done || !IsSwept(restless);
}

dag::Sweep& Sweeps::ForSpace(TreeId id, dag::Height height, dag::Effort effort, bool is_first) {
  dag::Sweep& sweep = for_space_[id];
  sweep.reach = reach_;
  sweep.effort = effort;
  sweep.root_only = !is_first;
  sweep.lower = LowerAgainOf(id, height);
  return sweep;
}

dag::LowerAgain* Sweeps::LowerAgainOf(TreeId id, dag::Height height) {
  return height > dag::kHeightToReadFor ? &lower_again_[id] : nullptr;
}

void Sweeps::Forget(TreeId id) {
  for_space_.erase(id);
  lower_again_.erase(id);
}

}  // namespace betr::store
