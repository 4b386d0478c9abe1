// SPDX-License-Identifier: Apache-2.0
#include "dag/change/arrive.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "base/status.h"
#include "dag/change/carve.h"
#include "dag/change/child.h"
#include "dag/change/hand_out.h"
#include "dag/live.h"

namespace betr::dag {
namespace {

// Of the translations of clones that wait in one node, as far as can be told from how many messages wait for an edge.
constexpr Bytes kMostCopies = KiB(64);

// Returns the link of an edge of a node of this height that shows what a goto shows. New nodes, each with one edge,
// lead down to the goto's target. Its reference moves to the lowest of them.
Link LinkThrough(Edit& edit, Goto message, Height height, Codec codec) {
  const Range range = std::move(message.link.range);
  const Range bounds = range.Strip(range.Lcp().size());
  Link link{bounds, message.link.target, std::move(message.link.translation)};
  for (Height at = static_cast<Height>(message.target_height + 1); at < height; ++at) {
    Node node = EmptyNode(at, bounds, codec);
    node.edges[0].link = std::move(link);
    link = {bounds, edit.Create(std::move(node)), {}};
  }
  link.range = range;
  return link;
}

// Makes a clone that waits for edge `index` an edge of its own. No I/O.
void GiveEdge(Edit& edit, Node& node, size_t index, const Range& range) {
  Partition part = node.edges[index].partition.Cut(range);
  Goto clone = std::move(part.gotos.front());
  part.gotos.clear();
  part.runs.erase(part.runs.begin(), part.runs.begin() + clone.over);
  edit.Retain(clone.link.target);
  const size_t hole = CarveHole(edit, node, range);
  node.edges[hole] = {LinkThrough(edit, std::move(clone), node.height, node.codec), std::move(part)};
}

// If a message for `range` would cut a clone that waits in two, each part would hold the whole translation. So before
// that has happened so often that the copies may take much, the clone gets an edge.
void KeepWhole(Edit& edit, Node& node, const Range& range) {
  const size_t index = node.EdgeAfter(range.lo);
  const std::vector<Goto>& gotos = node.edges[index].partition.gotos;
  const size_t at = FirstGotoAfter(gotos, range.lo);
  if (at == gotos.size() || gotos[at].Erases()) return;
  const Link& clone = gotos[at].link;
  const bool cuts_in_two = clone.range.lo < range.lo && range.hi < clone.range.hi;
  const Bytes copies{clone.translation.size() * (gotos.size() + node.edges.size())};
  if (cuts_in_two && copies > std::min(LittleToCopy(edit.shape()), kMostCopies)) {
    GiveEdge(edit, node, index, Range(clone.range));
  }
}

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
  KeepWhole(edit, node, message.link.range);
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
