// SPDX-License-Identifier: Apache-2.0
#include "dag/flush.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "base/status.h"
#include "dag/arrive.h"
#include "dag/child.h"
#include "dag/heal.h"
#include "dag/split.h"

namespace betr::dag {
namespace {

void CountFlush(Edit& edit, Height height) {
  auto& counts = edit.counters().flushes_by_height;
  ++counts[std::min<size_t>(height, counts.size() - 1)];
}

bool Overfull(const Node& node, const Shape& shape) { return !node.Leaf() && node.Size() > shape.node_size; }

// How much a flush of this edge is worth. A shared child has to be rewritten for it, so it must have gathered more.
uint64_t Weight(const Edit& edit, const Edge& edge) {
  const uint64_t bytes = edge.partition.Size().value;
  return ChildShared(edit, edge) ? bytes / 4 : bytes;
}

size_t HeaviestEdge(const Edit& edit, const Node& node) {
  size_t heaviest = 0;
  uint64_t weight = 0;
  for (size_t i = 0; i < node.edges.size(); ++i) {
    const uint64_t candidate = Weight(edit, node.edges[i]);
    if (candidate > weight) {
      heaviest = i;
      weight = candidate;
    }
  }
  return heaviest;
}

// Whether the child of this edge is known to be over-full and may be worked on in place.
bool ChildWantsWork(const Edit& edit, const Node& node, const Edge& edge) {
  if (node.height < 2 || edge.link.Null() || ChildShared(edit, edge)) {
    return false;
  }
  const NodePtr child = edit.Peek(edge.link.target);
  return child != nullptr && (Overfull(*child, edit.shape()) || TooLarge(*child, edit.shape()));
}

// Does one step at `node` or below it. Returns whether it did anything.
absl::StatusOr<bool> WorkAt(Edit& edit, Node& node) {
  for (size_t i = 0; i < node.edges.size(); ++i) {
    if (!ChildWantsWork(edit, node, node.edges[i])) {
      continue;
    }
    BETR_ASSIGN_OR_RETURN(OwnChild child, TakeChild(edit, node, i));
    const absl::StatusOr<bool> worked = WorkAt(edit, child.node);
    if (!worked.ok()) {
      return worked;
    }
    PutSplitChild(edit, node, i, std::move(child));
    return true;
  }
  if (!Overfull(node, edit.shape())) {
    return false;
  }
  const size_t index = HeaviestEdge(edit, node);
  BETR_RETURN_IF_ERROR(FlushEdge(edit, node, index));
  return true;
}

absl::Status FlushBelow(Edit& edit, Node& node) {
  if (node.Leaf()) {
    return absl::OkStatus();
  }
  for (size_t i = 0; i < node.edges.size(); ++i) {
    if (node.edges[i].link.Null() && node.edges[i].partition.Empty()) {
      continue;
    }
    BETR_ASSIGN_OR_RETURN(OwnChild child, TakeChild(edit, node, i));
    const Partition news = std::exchange(node.edges[i].partition, {}).Strip(node.edges[i].link.range.Lcp());
    BETR_RETURN_IF_ERROR(Arrive(edit, child.node, news));
    BETR_RETURN_IF_ERROR(FlushBelow(edit, child.node));
    const size_t before = node.edges.size();
    PutSplitChild(edit, node, i, std::move(child));
    i += node.edges.size() - before;
  }
  return Heal(edit, node, HealMode::kUnshare);
}

}  // namespace

absl::Status FlushEdge(Edit& edit, Node& parent, size_t index) {
  BETR_ASSIGN_OR_RETURN(OwnChild child, TakeChild(edit, parent, index));
  Edge& edge = parent.edges[index];
  const Partition news = std::exchange(edge.partition, {}).Strip(edge.link.range.Lcp());
  BETR_RETURN_IF_ERROR(Arrive(edit, child.node, news));
  CountFlush(edit, parent.height);
  PutSplitChild(edit, parent, index, std::move(child));
  return absl::OkStatus();
}

absl::StatusOr<NodeId> Insert(Edit& edit, NodeId root, const Partition& news) {
  BETR_ASSIGN_OR_RETURN(OwnChild own, TakeRoot(edit, root));
  Check(!own.node.Leaf(), "a root is an interior node");
  BETR_RETURN_IF_ERROR(Arrive(edit, own.node, news));
  return PutRoot(edit, std::move(own));
}

absl::StatusOr<WorkResult> Work(Edit& edit, NodeId root) {
  const NodePtr now = edit.Peek(root);
  if (now != nullptr && !Overfull(*now, edit.shape()) && !TooLarge(*now, edit.shape()) &&
      std::none_of(now->edges.begin(), now->edges.end(),
                   [&](const Edge& edge) { return ChildWantsWork(edit, *now, edge); })) {
    return WorkResult{root, false};
  }
  BETR_ASSIGN_OR_RETURN(OwnChild own, TakeRoot(edit, root));
  BETR_ASSIGN_OR_RETURN(const bool worked, WorkAt(edit, own.node));
  const bool too_large = TooLarge(own.node, edit.shape());
  BETR_ASSIGN_OR_RETURN(const NodeId healed, PutHealedRoot(edit, std::move(own)));
  return WorkResult{healed, worked || too_large};
}

absl::StatusOr<NodeId> FlushAll(Edit& edit, NodeId root) {
  BETR_ASSIGN_OR_RETURN(OwnChild own, TakeRoot(edit, root));
  BETR_RETURN_IF_ERROR(FlushBelow(edit, own.node));
  return PutHealedRoot(edit, std::move(own));
}

}  // namespace betr::dag
