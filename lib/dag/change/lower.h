// SPDX-License-Identifier: Apache-2.0
// Lowering a tree that is taller than its content explains (heal.h). It is directed at where the superfluous levels
// are: at the top of the tree, as far down as it is narrow. Clones grow a tree above its root, so levels pile up there,
// each of a few nodes that show a few edges of the next. Below, a tree is as wide as its content makes it.
#pragma once

#include <absl/status/statusor.h>

#include "dag/change/edit.h"
#include "dag/change/heal.h"

namespace betr::dag {

// Makes one step: merges what is small in the narrow top, private or shared, the lowest level first, and drops levels
// that are then not needed. A shared node is healed in place, as far as this tree shows it. If there is nothing to
// merge, nothing is changed. Returns the root from now on. Requires: the tree is taller than explained, and `sharing`
// is what SharingToLower says. After an error the edit must be dropped.
//
// Cost: looks at the interior nodes of the top, a bounded number a level, and merges a bounded number. Nodes that are
// not in memory are read if the tree is tall (ReachOf), and left out otherwise. So is what cannot be read. Reads no
// leaf.
absl::StatusOr<NodeId> LowerTop(Edit& edit, NodeId root, Sharing sharing);

// Decides when to try a step again after one that found nothing. Most changes do not alter that, and looking costs more
// the more levels there are. It is tried again once the tree is taller by an eighth, and after some calls whatever the
// height.
class LowerAgain {
 public:
  // Whether to try now. Call it each time that there might be a step.
  bool Due(Height height);
  // Records whether the step found anything.
  void Note(Height height, bool found);

 private:
  Height none_at_ = 0;  // the height at which nothing was found
  int passed_ = 0;      // calls since then
};

}  // namespace betr::dag
