// SPDX-License-Identifier: Apache-2.0
#include "dag/heal.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/check.h"
#include "base/status.h"
#include "dag/arrive.h"
#include "dag/carve.h"
#include "dag/split.h"

namespace betr::dag {
namespace {

constexpr uint64_t kTooMuch = UINT64_MAX / 4;

// How full the child of an edge is as seen through it: live edges, or bytes for a leaf.
absl::StatusOr<uint64_t> Live(Edit& edit, const Edge& edge, HealMode mode) {
  if (edge.link.Null()) {
    return 0;
  }
  if (mode == HealMode::kPrivate && edit.Shared(edge.link.target)) {
    return kTooMuch;
  }
  NodePtr child = edit.Peek(edge.link.target);
  if (child == nullptr) {
    if (mode == HealMode::kPrivate) {
      return kTooMuch;
    }
    BETR_ASSIGN_OR_RETURN(child, edit.Load(edge.link.target));
  }
  const Range image = edge.link.Image();
  uint64_t live = 0;
  for (const Edge& below : child->edges) {
    live += below.link.range.Overlaps(image) && !(below.link.Null() && below.partition.Empty());
  }
  for (const BlockView& basement : child->basements) {
    live += basement.clip.Overlaps(image) ? basement.Size().value : 0;
  }
  return live;
}

Partition JoinPartitions(Partition left, Partition right) {
  const auto shift = static_cast<uint32_t>(left.runs.size());
  for (BlockView& run : right.runs) {
    left.runs.push_back(std::move(run));
  }
  for (Goto& message : right.gotos) {
    message.over += shift;
    left.gotos.push_back(std::move(message));
  }
  return left;
}

// Appends what `right` holds to `left`; both are already in one space.
void Append(Node& left, Node right) {
  Check(left.bounds.hi == right.bounds.lo, "joined nodes are neighbours");
  left.bounds.hi = std::move(right.bounds.hi);
  std::move(right.edges.begin(), right.edges.end(), std::back_inserter(left.edges));
  std::move(right.basements.begin(), right.basements.end(), std::back_inserter(left.basements));
  CoalesceNullEdges(left);
}

// Joins the children of edges i and i+1 into one under one edge.
absl::Status Join(Edit& edit, Node& node, size_t i) {
  const Range joint{node.edges[i].link.range.lo, node.edges[i + 1].link.range.hi};
  const size_t lifted = joint.Lcp().size();
  Edge joined{Link{joint, kNoNode, {}}, {}};
  if (!node.edges[i].link.Null() || !node.edges[i + 1].link.Null()) {
    BETR_ASSIGN_OR_RETURN(OwnChild left, TakeChild(edit, node, i));
    BETR_ASSIGN_OR_RETURN(OwnChild right, TakeChild(edit, node, i + 1));
    left.node = Prepend(left.node, node.edges[i].link.range.Lcp().substr(lifted));
    Append(left.node, Prepend(right.node, node.edges[i + 1].link.range.Lcp().substr(lifted)));
    if (left.id == kNoNode) {
      std::swap(left.id, right.id);
    }
    if (right.id != kNoNode) {
      edit.Discard(right.id);
    }
    joined.link.target = PutRoot(edit, std::move(left));
    ++edit.counters().merges;
  }
  joined.partition = JoinPartitions(std::move(node.edges[i].partition), std::move(node.edges[i + 1].partition));
  node.edges[i] = std::move(joined);
  node.edges.erase(node.edges.begin() + static_cast<ptrdiff_t>(i) + 1);
  return absl::OkStatus();
}

// Whether two neighbours fit into one node with room to grow.
absl::StatusOr<bool> Joinable(Edit& edit, const Node& node, size_t i, HealMode mode) {
  const uint64_t room = (node.height == 1 ? edit.shape().node_size.value : edit.shape().fanout) * 3 / 4;
  BETR_ASSIGN_OR_RETURN(const uint64_t left, Live(edit, node.edges[i], mode));
  BETR_ASSIGN_OR_RETURN(const uint64_t right, Live(edit, node.edges[i + 1], mode));
  return left + right <= room;
}

// Whether a root's children, as far as it shows them, fit into one node: then the level of the root is not needed.
// Without this every clone whose LCA is the root would add a level. Looks only at what is in memory.
bool LevelTooMany(const Edit& edit, const Node& root) {
  size_t live = 0;
  for (const Edge& edge : root.edges) {
    if (edge.link.Null()) {
      continue;
    }
    const NodePtr child = edit.Peek(edge.link.target);
    if (child == nullptr || child->Leaf()) {
      return false;
    }
    const Range image = edge.link.Image();
    for (const Edge& below : child->edges) {
      live += below.link.range.Overlaps(image) && !(below.link.Null() && below.partition.Empty());
    }
  }
  return root.height > 1 && live <= edit.shape().fanout * 3 / 4;
}

// A root whose only edge is null: as low as what it buffers allows.
absl::Status LowerNullRoot(Edit& edit, OwnChild& root) {
  Height height = 1;
  for (const Goto& message : root.node.edges[0].partition.gotos) {
    if (!message.Erases()) {
      height = std::max(height, static_cast<Height>(message.target_height + 1));
    }
  }
  if (height >= root.node.height) {
    return absl::OkStatus();
  }
  const Partition news = std::move(root.node.edges[0].partition);
  OwnChild lower{kNoNode, EmptyNode(height, root.node.bounds, root.node.codec)};
  BETR_RETURN_IF_ERROR(Arrive(edit, lower.node, news));
  if (root.id != kNoNode) {
    edit.Discard(root.id);
  }
  root = std::move(lower);
  return absl::OkStatus();
}

// Drops levels that have a single edge.
absl::Status DropLevels(Edit& edit, OwnChild& root) {
  while (root.node.height > 1 && root.node.edges.size() == 1) {
    if (root.node.edges[0].link.Null()) {
      return LowerNullRoot(edit, root);
    }
    BETR_ASSIGN_OR_RETURN(OwnChild child, TakeChild(edit, root.node, 0));
    BETR_RETURN_IF_ERROR(Arrive(edit, child.node, root.node.edges[0].partition));
    if (root.id != kNoNode) {
      edit.Discard(root.id);
    }
    root = std::move(child);
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status Heal(Edit& edit, Node& node, HealMode mode) {
  for (size_t i = 0; i + 1 < node.edges.size();) {
    BETR_ASSIGN_OR_RETURN(const bool joinable, Joinable(edit, node, i, mode));
    if (joinable) {
      BETR_RETURN_IF_ERROR(Join(edit, node, i));
    } else {
      ++i;
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<NodeId> PutHealedRoot(Edit& edit, OwnChild root) {
  const bool unshare = TooLarge(root.node, edit.shape()) || LevelTooMany(edit, root.node);
  BETR_RETURN_IF_ERROR(Heal(edit, root.node, unshare ? HealMode::kUnshare : HealMode::kPrivate));
  BETR_RETURN_IF_ERROR(DropLevels(edit, root));
  return PutSplitRoot(edit, std::move(root));
}

}  // namespace betr::dag
