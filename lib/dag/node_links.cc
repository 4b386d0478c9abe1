// SPDX-License-Identifier: Apache-2.0
#include "dag/node_links.h"

#include <algorithm>

namespace betr::dag {
namespace {

void ShowPart(const Link& link, const Range& shown, absl::FunctionRef<void(const Link&)> visit) {
  const Range part = link.range.Intersect(shown);
  if (!link.Null() && !part.Empty()) visit(link.Cut(part));
}

// Calls `visit` with what an edge and its gotos show in `shown`. The edge shows what lies between the gotos.
void ShowEdge(const Edge& edge, const Range& shown, absl::FunctionRef<void(const Link&)> visit) {
  Bound from = shown.lo;
  for (const Goto& message : edge.partition.gotos) {
    if (message.link.range.lo >= shown.hi) break;
    ShowPart(message.link, shown, visit);
    ShowPart(edge.link, {from, std::min(message.link.range.lo, shown.hi)}, visit);
    from = std::max(from, message.link.range.hi);
  }
  ShowPart(edge.link, {from, shown.hi}, visit);
}

}  // namespace

void ForEachLink(const Node& node, absl::FunctionRef<void(const Link&)> visit) {
  for (const Edge& edge : node.edges) {
    if (!edge.link.Null()) visit(edge.link);
    for (const Goto& message : edge.partition.gotos) {
      if (!message.Erases()) visit(message.link);
    }
  }
}

void ForEachShown(const Node& node, const Range& shown, absl::FunctionRef<void(const Link&)> visit) {
  for (const Edge& edge : node.edges) {
    if (const Range part = edge.link.range.Intersect(shown); !part.Empty()) ShowEdge(edge, part, visit);
  }
}

}  // namespace betr::dag
