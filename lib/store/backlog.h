// SPDX-License-Identifier: Apache-2.0
// How far background work is behind the clones that cause it. Each clone may add a level to its tree. If clones come
// faster than levels are taken off, what they share is copied for that (dag/change/heal.h). What a clone leaves behind
// pins what it was made of, until that is cleaned up. All of this is little work if it is done between clones, and ever
// more if it is not. So a caller that clones while background work never comes to an end does a part of that work.
#pragma once

#include <atomic>

namespace betr::store {

// Threads: one at a time, except for IsLong.
class Backlog {
 public:
  // The most steps that a caller makes that adds to a long backlog.
  static constexpr int kSteps = 128;

  // A batch with clones was written.
  void Grow() { ++batches_; }
  // Nothing is left to do.
  void Clear() { batches_ = 0; }

  // Whether something was left to do during several batches.
  bool IsLong() const { return batches_ > kMost; }

 private:
  static constexpr int kMost = 2;

  std::atomic<int> batches_ = 0;  // since nothing was left to do
};

}  // namespace betr::store
