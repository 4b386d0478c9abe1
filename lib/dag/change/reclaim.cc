// SPDX-License-Identifier: Apache-2.0
#include "dag/change/reclaim.h"

#include "base/check.h"
#include "base/status.h"
#include "dag/change/carve.h"

namespace betr::dag {

absl::Status Reclaim(Edit& edit, NodeId id) {
  const NodeRecord* record = edit.table().Find(id);
  Check(record != nullptr && record->Dead(), "only dead nodes are reclaimed");
  if (record->height > 0) {
    BETR_ASSIGN_OR_RETURN(const NodePtr node, edit.Load(id));
    for (const Edge& edge : node->edges) ReleaseEdge(edit, edge);
  }
  edit.Remove(id);
  return edit.status();
}

}  // namespace betr::dag
