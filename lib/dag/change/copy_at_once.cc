// SPDX-License-Identifier: Apache-2.0
#include "dag/change/copy_at_once.h"

#include "dag/change/child.h"

namespace betr::dag {

std::optional<size_t> HeaviestOverShared(const Edit& edit, const Node& node) {
  std::optional<size_t> heaviest;
  for (size_t i = 0; i < node.edges.size(); ++i) {
    const Partition& waits = node.edges[i].partition;
    if (waits.Empty() || !ChildShared(edit, node.edges[i])) continue;
    if (!heaviest || waits.Size() > node.edges[*heaviest].partition.Size()) heaviest = i;
  }
  return heaviest;
}

}  // namespace betr::dag
