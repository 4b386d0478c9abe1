// SPDX-License-Identifier: Apache-2.0
#include "dag/change/carve.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/check.h"

namespace betr::dag {

Edge CopyEdgePart(Edit& edit, const Edge& edge, const Range& part) {
  Edge copy{edge.link.Cut(part), edge.partition.Cut(part)};
  edit.Retain(copy.link.target);
  edit.RetainTargets(copy.partition);
  return copy;
}

namespace {

// Returns what the partition of an edge over `whole` holds outside `range`.
Partition Outside(const Partition& partition, const Range& whole, const Range& range) {
  Partition outside = partition.Cut({whole.lo, range.lo});
  outside.Append(partition.Cut({range.hi, whole.hi}));
  return outside;
}

}  // namespace

Partition TakePart(Edit& edit, Edge& edge, const Range& part) {
  const Partition before = std::exchange(edge.partition, {});
  Partition taken = before.Cut(part);
  edge.partition = Outside(before, edge.link.range, part);
  edit.RetainTargets(taken);
  edit.RetainTargets(edge.partition);
  edit.ReleaseTargets(before);
  return taken;
}

void ReleaseEdge(Edit& edit, const Edge& edge) {
  edit.Release(edge.link.target);
  edit.ReleaseTargets(edge.partition);
}

void Clear(Edit& edit, Edge& edge) {
  ReleaseEdge(edit, edge);
  edge = {Link{edge.link.range, kNoNode, {}}, {}};
}

size_t CarveHole(Edit& edit, Node& node, const Range& range) {
  Check(!range.Empty() && node.bounds.Covers(range), "a hole lies inside its node");
  const auto first = node.edges.begin() + static_cast<ptrdiff_t>(node.EdgeAfter(range.lo));
  std::vector<Edge> carved;
  if (first->link.range.lo < range.lo) carved.push_back(CopyEdgePart(edit, *first, {first->link.range.lo, range.lo}));
  const size_t hole = static_cast<size_t>(first - node.edges.begin()) + carved.size();
  carved.push_back({Link{range, kNoNode, {}}, {}});
  auto end = first;
  for (; end != node.edges.end() && end->link.range.lo < range.hi; ++end) {
    if (range.hi < end->link.range.hi) carved.push_back(CopyEdgePart(edit, *end, {range.hi, end->link.range.hi}));
    ReleaseEdge(edit, *end);
  }
  const auto at = node.edges.erase(first, end);
  node.edges.insert(at, std::make_move_iterator(carved.begin()), std::make_move_iterator(carved.end()));
  ++edit.counters().carves;
  return hole;
}

void CoalesceNullEdges(Node& node) { CoalesceNullEdges(node, 0, node.edges.size()); }

void CoalesceNullEdges(Node& node, size_t from, size_t to) {
  if (node.Leaf()) return;
  const auto end = node.edges.begin() + static_cast<ptrdiff_t>(std::min(to + 1, node.edges.size()));
  auto kept = node.edges.begin() + static_cast<ptrdiff_t>(from == 0 ? 0 : from - 1);
  for (auto edge = kept + 1; edge < end; ++edge) {
    if (kept->Idle() && edge->Idle()) {
      kept->link.range.hi = std::move(edge->link.range.hi);
    } else if (++kept != edge) {
      *kept = std::move(*edge);
    }
  }
  node.edges.erase(kept + 1, end);
}

namespace {

bool ErasedAtLo(const Edge& edge) {
  const std::vector<Goto>& gotos = edge.partition.gotos;
  return !gotos.empty() && gotos.front().Erases() && gotos.front().link.range.lo == edge.link.range.lo;
}

bool ErasedAtHi(const Edge& edge) {
  const std::vector<Goto>& gotos = edge.partition.gotos;
  return !gotos.empty() && gotos.back().Erases() && gotos.back().link.range.hi == edge.link.range.hi;
}

}  // namespace

bool ErasedAtAnEnd(const Edge& edge) { return !edge.link.Null() && (ErasedAtLo(edge) || ErasedAtHi(edge)); }

bool ErasedWhole(const Edge& edge) {
  return ErasedAtAnEnd(edge) && edge.partition.gotos.front().link.range == edge.link.range;
}

void NarrowErased(Edit& edit, Node& node, size_t index) {
  Check(ErasedAtAnEnd(node.edges[index]), "an edge that is narrowed is erased at an end");
  Edge& edge = node.edges[index];
  const Range whole = edge.link.range;
  const bool at_lo = ErasedAtLo(edge);
  const Goto erase = at_lo ? edge.partition.gotos.front() : edge.partition.gotos.back();
  const Range erased = erase.link.range;
  Edge hole{Link{erased, kNoNode, {}}, {}};
  for (size_t i = erase.over; i < edge.partition.runs.size(); ++i) {
    if (BlockView run = edge.partition.runs[i].Cut(erased); !run.clip.Empty()) {
      hole.partition.runs.push_back(std::move(run));
    }
  }
  if (erased == whole) {
    Clear(edit, edge);
    edge = std::move(hole);
  } else {
    const Range rest = at_lo ? Range{erased.hi, whole.hi} : Range{whole.lo, erased.lo};
    edge = Edge{edge.link.Cut(rest), edge.partition.Cut(rest)};
    node.edges.insert(node.edges.begin() + static_cast<ptrdiff_t>(at_lo ? index : index + 1), std::move(hole));
  }
  CoalesceNullEdges(node);
}

void Clip(Edit& edit, Node& node, const Range& range) {
  Check(node.bounds.Covers(range), "an edge shows a part of its child");
  std::vector<Edge> edges;
  for (Edge& edge : node.edges) {
    const Range part = edge.link.range.Intersect(range);
    if (part == edge.link.range) {
      edges.push_back(std::move(edge));
      continue;
    }
    if (!part.Empty()) edges.push_back(CopyEdgePart(edit, edge, part));
    ReleaseEdge(edit, edge);
  }
  std::vector<BlockView> basements;
  for (const BlockView& basement : node.basements) {
    BlockView cut = basement.Cut(range);
    if (!cut.clip.Empty()) basements.push_back(std::move(cut));
  }
  node.edges = std::move(edges);
  node.basements = std::move(basements);
  node.bounds = range;
}

namespace {

// Appends what is left of an older goto outside `range` to `kept`: up to two parts. Each part gets a reference of its
// own to the target; that of the older goto is released.
void CutOut(Edit& edit, const Goto& older, const Range& range, std::vector<Goto>& kept) {
  const Range& old_range = older.link.range;
  const Range left{old_range.lo, std::min(old_range.hi, range.lo)};
  const Range right{std::max(old_range.lo, range.hi), old_range.hi};
  for (const Range& part : {left, right}) {
    if (!part.Empty()) {
      kept.push_back(older.Cut(part));
      edit.Retain(older.link.target);
    }
  }
  edit.Release(older.link.target);
}

}  // namespace

void BufferGoto(Edit& edit, Partition& partition, Goto message) {
  const Range range = message.link.range;
  message.over = static_cast<uint32_t>(partition.runs.size());
  const auto first = partition.gotos.begin() + static_cast<ptrdiff_t>(FirstGotoAfter(partition.gotos, range.lo));
  auto last = first;
  std::vector<Goto> replacement;
  for (; last != partition.gotos.end() && last->link.range.lo < range.hi; ++last) {
    CutOut(edit, *last, range, replacement);
  }
  const auto at = std::partition_point(replacement.begin(), replacement.end(),
                                       [&](const Goto& part) { return part.link.range.hi <= range.lo; });
  replacement.insert(at, std::move(message));
  const auto gap = partition.gotos.erase(first, last);
  partition.gotos.insert(gap, std::make_move_iterator(replacement.begin()), std::make_move_iterator(replacement.end()));
  ++edit.counters().gotos_buffered;
}

}  // namespace betr::dag
