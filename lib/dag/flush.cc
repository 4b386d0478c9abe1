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

// Flushes and heals a whole subtree.
class DeepFlush {
 public:
  DeepFlush(Edit& edit, HealMode mode) : edit_(edit), mode_(mode) {}

  absl::Status Run(Node& node) {
    for (size_t i = 0; i < node.edges.size();) {
      if (Settled(node, node.edges[i])) {
        ++i;
        continue;
      }
      BETR_ASSIGN_OR_RETURN(OwnChild child, TakeChild(edit_, node, i));
      const Partition news = std::exchange(node.edges[i].partition, {}).Strip(node.edges[i].link.range.Lcp());
      BETR_RETURN_IF_ERROR(Arrive(edit_, child.node, news));
      BETR_RETURN_IF_ERROR(Run(child.node));
      BETR_ASSIGN_OR_RETURN(const size_t count, PutSplitChild(edit_, node, i, std::move(child)));
      i += count;
    }
    return node.Leaf() ? absl::OkStatus() : Heal(edit_, node, mode_);
  }

 private:
  // Whether there is nothing to do for an edge: leaves, and what others see as well, only matter if messages wait.
  bool Settled(const Node& node, const Edge& edge) const {
    if (!edge.partition.Empty()) {
      return false;
    }
    return edge.link.Null() || node.height == 1 || (mode_.sharing == Sharing::kKeep && ChildShared(edit_, edge));
  }

  Edit& edit_;
  const HealMode mode_;
};

}  // namespace

absl::Status FlushEdge(Edit& edit, Node& parent, size_t index) {
  BETR_ASSIGN_OR_RETURN(OwnChild child, TakeChild(edit, parent, index));
  Edge& edge = parent.edges[index];
  const Partition news = std::exchange(edge.partition, {}).Strip(edge.link.range.Lcp());
  BETR_RETURN_IF_ERROR(Arrive(edit, child.node, news));
  CountFlush(edit, parent.height);
  BETR_ASSIGN_OR_RETURN(const size_t count, PutSplitChild(edit, parent, index, std::move(child)));
  return Heal(edit, parent, index, index + count, {});
}

absl::StatusOr<NodeId> Insert(Edit& edit, NodeId root, const Partition& news) {
  BETR_ASSIGN_OR_RETURN(OwnChild own, TakeRoot(edit, root));
  Check(!own.node.Leaf(), "a root is an interior node");
  BETR_RETURN_IF_ERROR(Arrive(edit, own.node, news));
  BETR_RETURN_IF_ERROR(edit.status());
  return PutRoot(edit, std::move(own));
}

absl::StatusOr<NodeId> FlushAll(Edit& edit, NodeId root) {
  const Sharing sharing = TallerThanExplained(edit, root) ? Sharing::kBreak : Sharing::kKeep;
  BETR_ASSIGN_OR_RETURN(OwnChild own, TakeRoot(edit, root));
  BETR_RETURN_IF_ERROR(DeepFlush(edit, {sharing, Reach::kDisk}).Run(own.node));
  return PutHealedRoot(edit, std::move(own));
}

}  // namespace betr::dag
