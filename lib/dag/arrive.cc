// SPDX-License-Identifier: Apache-2.0
#include "dag/arrive.h"

#include <utility>

#include "base/check.h"
#include "base/status.h"
#include "dag/carve.h"
#include "dag/hand_out.h"
#include "dag/live.h"

namespace betr::dag {
namespace {

void EraseInEdge(Edit& edit, Edge& edge, const Goto& erase) {
  const Range part = edge.link.range.Intersect(erase.link.range);
  if (part == edge.link.range) {
    Clear(edit, edge);
  } else if (!edge.Idle()) {
    BufferGoto(edit, edge.partition, erase.Cut(part));
  }
}

void ArriveErase(Edit& edit, Node& node, const Goto& erase) {
  const size_t first = node.EdgeAfter(erase.link.range.lo);
  size_t last = first;
  for (; last < node.edges.size() && node.edges[last].link.range.lo < erase.link.range.hi; ++last) {
    EraseInEdge(edit, node.edges[last], erase);
  }
  CoalesceNullEdges(node, first, last);
}

absl::Status ArriveAtInterior(Edit& edit, Node& node, const Partition& news) {
  for (const Goto& message : news.gotos) ArriveGoto(edit, node, message);
  return HandOut(edit, node, news);
}

// Makes the edges beside the hole null if they show nothing any more. Otherwise they would keep their child shared for
// nothing, and pin what nobody sees. Looks only at what is in memory.
void ClearFringes(Edit& edit, Node& node, size_t hole) {
  for (const size_t beside : {hole - 1, hole + 1}) {  // if hole is 0, hole - 1 is no edge's index
    if (beside < node.edges.size() && !node.edges[beside].link.Null() &&
        ShowsNothing(edit.table(), node.edges[beside])) {
      Clear(edit, node.edges[beside]);
    }
  }
}

}  // namespace

void ArriveGoto(Edit& edit, Node& node, Goto message) {
  Check(!node.Leaf() && node.bounds.Covers(message.link.range), "a goto arrives inside an interior node");
  if (message.Erases()) {
    ArriveErase(edit, node, message);
    return;
  }
  Check(message.target_height < node.height, "a goto's target is lower than its holder");
  const Range range = message.link.range;
  Edge& edge = node.edges[node.EdgeAfter(range.lo)];
  const bool is_edge = message.target_height + 1 == node.height;
  if (!is_edge && edge.link.range.Covers(range) && edge.link.range != range) {
    BufferGoto(edit, edge.partition, std::move(message));
    return;
  }
  const size_t hole = CarveHole(edit, node, range);
  ClearFringes(edit, node, hole);
  if (is_edge) {
    node.edges[hole].link = std::move(message.link);
  } else {
    BufferGoto(edit, node.edges[hole].partition, std::move(message));
  }
  CoalesceNullEdges(node, hole == 0 ? 0 : hole - 1, hole + 2);
}

absl::Status Arrive(Edit& edit, Node& node, const Partition& news) {
  return node.Leaf() ? ArriveAtLeaf(edit, node, news) : ArriveAtInterior(edit, node, news);
}

absl::Status MoveDown(Edit& edit, Edge& edge, const Range& part, Node& child) {
  const Partition moved = TakePart(edit, edge, part);
  return Arrive(edit, child, moved.Strip(edge.link.range.Lcp()));
}

}  // namespace betr::dag
