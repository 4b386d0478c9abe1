// SPDX-License-Identifier: Apache-2.0
#include "dag/change/prune.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/status.h"
#include "dag/change/carve.h"
#include "dag/node_links.h"
#include "dag/storable.h"

namespace betr::dag {
namespace {

constexpr int kLooks = 16;         // nodes that one step looks at
constexpr size_t kMaxRanges = 64;  // of one node; more are joined, as if more were shown

// Returns the node without what lies outside of `ranges`. Its bounds stay.
Node Pruned(Edit& edit, const Node& node, const RangeSet& ranges) {
  Node pruned = node;
  pruned.edges.clear();
  const auto add_null = [&](const Range& range) {
    if (!range.Empty()) pruned.edges.push_back({Link{range, kNoNode, {}}, {}});
  };
  for (const Edge& edge : node.edges) {
    const Range& whole = edge.link.range;
    std::optional<Range> hull = edge.Idle() ? whole : ranges.Hull(whole);
    if (hull && Bytes{edge.link.translation.size() + hull->Lcp().size()} > kMaxBound) {
      hull = whole;  // narrowed, it would have too long a translation
    }
    if (hull == whole) {
      pruned.edges.push_back(edge);
      continue;
    }
    if (hull) {
      add_null({whole.lo, hull->lo});
      pruned.edges.push_back(CopyEdgePart(edit, edge, *hull));
      add_null({hull->hi, whole.hi});
    } else {
      add_null(whole);
    }
    ReleaseEdge(edit, edge);
  }
  CoalesceNullEdges(pruned);
  return pruned;
}

}  // namespace

Prune::Prune(NodeTable table, const std::vector<NodeId>& roots) : table_(std::move(table)) {
  std::map<Height, std::vector<NodeId>, std::greater<>> levels;
  table_.ForEach([&](NodeId id, const NodeRecord& record) {
    if (record.height > 0 && !record.Dead()) levels[record.height].push_back(id);
  });
  for (const auto& [height, ids] : levels) order_.insert(order_.end(), ids.begin(), ids.end());
  for (const NodeId root : roots) Reach(root, Range::All());
}

void Prune::Reach(NodeId id, const Range& range) {
  RangeSet& ranges = reached_[id];
  ranges.Add(range);
  if (ranges.size() > kMaxRanges) ranges.FillGaps();
}

absl::StatusOr<bool> Prune::Step(Edit& edit) {
  for (int looks = kLooks; looks > 0 && !Done(); --looks) {
    BETR_ASSIGN_OR_RETURN(const bool changed, Look(edit, order_[next_]));
    ++next_;
    if (changed) return true;
  }
  return false;
}

absl::StatusOr<bool> Prune::Look(Edit& edit, NodeId id) {
  const auto found = reached_.extract(id);
  if (found.empty()) {
    return false;  // it is named only by dead nodes, or by parts of nodes that nobody sees
  }
  const RangeSet& ranges = found.mapped();
  BETR_ASSIGN_OR_RETURN(const NodePtr node, LoadNode(table_, id));
  bool drops = false;
  for (const Edge& edge : node->edges) drops = drops || (!edge.Idle() && !ranges.Overlaps(edge.link.range));
  ranges.ForEach([&](const Range& range) {
    ForEachShown(*node, range, [&](const Link& link) {
      const NodeRecord* child = table_.Find(link.target);
      if (child != nullptr && child->height > 0) Reach(link.target, link.Image());
    });
  });
  const NodeRecord* now = edit.table().Find(id);
  if (!drops || now == nullptr || now->Dead() || now->slot != table_.Find(id)->slot) return false;
  edit.Rearrange(id, Pruned(edit, *node, ranges));
  BETR_RETURN_IF_ERROR(edit.status());
  return true;
}

}  // namespace betr::dag
