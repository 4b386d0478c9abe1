// SPDX-License-Identifier: Apache-2.0
// Lowering a tree that is taller than its content explains (heal.h), directed at where its levels are: the top of it,
// as far down as it is narrow. Clones grow a tree above its root, so there the levels stand on each other, each of a
// few nodes that show a few edges of the next; below, a tree is as wide as its content makes it.
#pragma once

#include <absl/status/statusor.h>

#include "dag/edit.h"
#include "dag/heal.h"

namespace betr::dag {

// One step: merges what is small in the narrow top, the lowest level first, private or shared, and drops levels that
// are not needed then. A shared node is healed in place, as far as this tree shows it. Nothing is changed if there is
// nothing to merge. Returns the root from now on.
// Cost: looks at the interior nodes of the top, a bounded number a level, and merges a bounded number. Those that are
// not in memory are read if the tree is tall (ReachOf), else left out, as is what cannot be read. Reads no leaf.
// Errors: the edit must be dropped. Requires: the tree is taller than explained; `sharing` is what SharingToLower says.
absl::StatusOr<NodeId> LowerTop(Edit& edit, NodeId root, Sharing sharing);

// When a tree is worth such a step again, for which the last one found nothing: most changes alter nothing of that, and
// looking costs as much as there are levels. Once it is taller by an eighth; and after some times, whatever its height.
class LowerAgain {
 public:
  // Asked each time that there might be a step.
  bool Due(Height height);
  // What the step came to.
  void Note(Height height, bool found);

 private:
  Height none_at_ = 0;  // nothing was found when the tree was so tall
  int passed_ = 0;      // times since
};

}  // namespace betr::dag
