// SPDX-License-Identifier: Apache-2.0
// Where two prefixes may differ, found without looking at what they share. Where the paths from both roots reach the
// same node in the same way, both show the same below it. Then only those keys are left to look at for which messages
// wait above, which were written since the two were one.
//
// Positions and ranges are those of the content: keys without the prefix.
#pragma once

#include <absl/status/statusor.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "dag/read/descent.h"

namespace betr::dag {

// What lies under a prefix.
struct Side {
  Source source;
  std::string prefix;
};

class Divergence {
 public:
  // Both sides are of one state: equal ids are the same node. They outlive this.
  Divergence(const Side& a, const Side& b) : a_(a), b_(b) {}

  // Returns the first range at or after a position in which the two may differ. Between the position and the range both
  // hold the same. Nothing if they hold the same up to the end. The range is one key, or what a basement holds.
  // Cost: O(height) nodes for each node that only one side has, and runs of messages above it.
  absl::StatusOr<std::optional<Range>> From(const Bound& from);

 private:
  // A range in which the ways do not change.
  struct Stretch {
    Range range;
    bool alike;  // but for the keys that the readers show
    std::vector<std::unique_ptr<PointReader>> of_a;
    std::vector<std::unique_ptr<PointReader>> of_b;
  };

  absl::StatusOr<Stretch> Find(const Bound& at) const;

  const Side& a_;
  const Side& b_;
  std::optional<Stretch> stretch_;  // that was found last
};

}  // namespace betr::dag
