// SPDX-License-Identifier: Apache-2.0
#include "dag/change/eager_goto.h"

#include <algorithm>
#include <utility>

#include "base/status.h"
#include "dag/change/arrive.h"
#include "dag/change/child.h"
#include "dag/change/heal.h"
#include "dag/change/split.h"

namespace betr::dag {
namespace {

// Whether a goto waits over some of `range` and changes anything below. An erase over a null edge changes nothing.
bool GotoWaits(const Edge& edge, const Range& range) {
  const std::vector<Goto>& gotos = edge.partition.gotos;
  return std::any_of(gotos.begin(), gotos.end(), [&](const Goto& message) {
    return message.link.range.Overlaps(range) && !(message.Erases() && edge.link.Null());
  });
}

}  // namespace

absl::Status DriveDown(Edit& edit, Node& node, const Range& range) {
  const size_t first = node.EdgeAfter(range.lo);
  size_t at = first;
  while (at < node.edges.size() && node.edges[at].link.range.lo < range.hi) {
    const Range part = node.edges[at].link.range.Intersect(range);
    if (!GotoWaits(node.edges[at], part)) {
      ++at;
      continue;
    }
    ++edit.counters().nodes_touched;
    BETR_ASSIGN_OR_RETURN(OwnChild child, TakeChild(edit, node, at));
    const std::string_view lifted = node.edges[at].link.range.Lcp();
    BETR_RETURN_IF_ERROR(MoveDown(edit, node.edges[at], part, child.node));
    if (!child.node.Leaf()) BETR_RETURN_IF_ERROR(DriveDown(edit, child.node, part.Strip(lifted.size())));
    BETR_ASSIGN_OR_RETURN(const size_t count, PutSplitChild(edit, node, at, std::move(child)));
    at += count;
  }
  return at == first ? absl::OkStatus() : Heal(edit, node, first, at, {});
}

}  // namespace betr::dag
