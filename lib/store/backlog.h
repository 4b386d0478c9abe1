// SPDX-License-Identifier: Apache-2.0
// How far background work is behind the clones that leave it. Each may add a level to its tree, and if they come faster
// than levels are taken off, what they share is copied for that (dag/heal.h); what a clone leaves behind pins what it
// was made of, until that is cleaned. All of this is little as long as it is done between clones, and ever more if it
// is not. So who clones while the background never comes to an end does a part of its work.
#pragma once

#include <atomic>

namespace betr::store {

// Threads: one at a time, but for IsLong.
class Backlog {
 public:
  // How many steps who makes the backlog longer does at most, if it is long.
  static constexpr int kSteps = 128;

  // A batch with clones was written.
  void Grow() { ++batches_; }
  // Nothing is left to do.
  void Clear() { batches_ = 0; }

  // Whether something was left to do during several of them.
  bool IsLong() const { return batches_ > kMost; }

 private:
  static constexpr int kMost = 2;

  std::atomic<int> batches_ = 0;  // since nothing was left to do
};

}  // namespace betr::store
