// SPDX-License-Identifier: Apache-2.0
#include "dag/way.h"

#include "base/status.h"

namespace betr::dag {

absl::StatusOr<bool> HasPoints(const Partition& partition, size_t first, const Range& range) {
  for (size_t i = first; i < partition.runs.size(); ++i) {
    const BlockView part = partition.runs[i].Cut(range);
    if (part.clip.Empty()) continue;
    BETR_ASSIGN_OR_RETURN(const ViewReader reader, ViewReader::Open(part));
    if (reader.Count() > 0) return true;
  }
  return false;
}

absl::StatusOr<WayStep> FindWayStep(const Node& node, const Range& range) {
  const size_t index = node.EdgeAfter(range.lo);
  const Edge& edge = node.edges[index];
  if (!edge.link.range.Covers(range)) return WayStep{};
  const std::vector<Goto>& gotos = edge.partition.gotos;
  const size_t first = FirstGotoAfter(gotos, range.lo);
  const bool overlaps = first < gotos.size() && gotos[first].link.range.lo < range.hi;
  const bool covered = overlaps && gotos[first].link.range.Covers(range);
  BETR_ASSIGN_OR_RETURN(const bool points, HasPoints(edge.partition, covered ? gotos[first].over : 0, range));
  if (points || (overlaps && !covered)) return WayStep{WayStep::kPending, index};
  if (covered) return WayStep{gotos[first].Erases() ? WayStep::kNothing : WayStep::kThroughGoto, index, &gotos[first]};
  return WayStep{edge.link.Null() ? WayStep::kNothing : WayStep::kDown, index};
}

}  // namespace betr::dag
