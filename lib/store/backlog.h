// SPDX-License-Identifier: Apache-2.0
// How far background work is behind the clones and renames that leave it, counted in steps. Each of these may add a
// level to its tree, and what comes faster than levels are taken off is shared by nodes that are copied for that
// (dag/heal.h). So who clones faster than the background works does as many steps as come of it.
#pragma once

#include <atomic>

namespace betr::store {

// Threads: any. What two of them do at once may be counted as one, or not at all.
class Backlog {
 public:
  // About what the tree of a clone needs until it is as if there had been no haste.
  static constexpr int kSteps = 24;

  // Such a batch was written.
  void Grow() { steps_ += kSteps; }
  // A step was made; whether there may be more to do.
  void Done(bool more) {
    if (!more || --steps_ < 0) {
      steps_ = 0;
    }
  }
  // Nothing can be done now.
  void Clear() { steps_ = 0; }

  // Whether who makes it longer has to help: more is left than the threads do soon.
  bool IsLong() const { return steps_ > kMost; }

 private:
  static constexpr int kMost = 2 * kSteps;

  std::atomic<int> steps_ = 0;
};

}  // namespace betr::store
