// SPDX-License-Identifier: Apache-2.0
#include "dag/change/clone.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "base/status.h"
#include "dag/change/arrive.h"
#include "dag/change/child.h"
#include "dag/change/heal.h"
#include "dag/change/split.h"
#include "dag/live.h"
#include "dag/storable.h"
#include "dag/way.h"

namespace betr::dag {
namespace {

// Pushes what waits for `range` one level down, at the node `depth` levels below `node`. Requires: all nodes on the way
// are private.
absl::Status PushAt(Edit& edit, Node& node, const Range& range, int depth) {
  const size_t index = node.EdgeAfter(range.lo);
  BETR_ASSIGN_OR_RETURN(OwnChild child, TakeChild(edit, node, index));
  if (depth == 0) {
    BETR_RETURN_IF_ERROR(MoveDown(edit, node.edges[index], range, child.node));
  } else {
    const Range below = range.Strip(node.edges[index].link.range.Lcp().size());
    BETR_RETURN_IF_ERROR(PushAt(edit, child.node, below, depth - 1));
  }
  PutChild(edit, node, index, std::move(child));
  return absl::OkStatus();
}

// The walk down for one prefix. It starts anew after each push, because a push makes new versions of the nodes on the
// way.
class Walk {
 public:
  Walk(Edit& edit, NodeId root, std::string_view prefix)
      : edit_(edit), at_(root), prefix_(prefix), may_take_(!edit.Shared(root)) {}

  struct Outcome {
    Place place;
    bool push = false;  // what is pending at `depth` may be pushed: push it and walk again
    int depth = 0;
  };

  absl::StatusOr<Outcome> Run() {
    for (;;) {
      ++edit_.counters().nodes_touched;
      // The walk ends at a leaf, so the leaf is not even read.
      if (const NodeRecord* record = edit_.table().Find(at_); record != nullptr && record->height == 0) {
        return Outcome{{at_, 0, prefix_}};
      }
      const absl::StatusOr<NodePtr> loaded = edit_.Load(at_);
      // Nothing needs to be known below a node that leads to one that cannot be read, or whose messages cannot.
      if (IsUnreadable(loaded.status()) && last_.node != kNoNode) return Outcome{last_};
      BETR_RETURN_IF_ERROR(loaded.status());
      const NodePtr& node = *loaded;
      const Range range = Range::Prefix(prefix_);
      BETR_RETURN_IF_ERROR(CheckBelow(at_, *node, above_, range));
      above_ = node->height;
      last_ = {at_, node->height, prefix_};
      const absl::StatusOr<WayStep> step = FindWayStep(*node, range);
      if (IsUnreadable(step.status())) return Outcome{last_};
      BETR_RETURN_IF_ERROR(step.status());
      switch (step->kind) {
        case WayStep::kNothing:
          return Outcome{};
        case WayStep::kStop:
          return Outcome{last_};
        case WayStep::kPending:
          if (node->height > 1 && MayPush(*node, step->edge, range)) return Outcome{{}, true, depth_};
          return Outcome{last_};
        case WayStep::kDown:
        case WayStep::kThroughGoto:
          may_take_ = step->kind == WayStep::kDown && MayTake(node->edges[step->edge]);
          if (!Follow(step->LinkIn(*node))) return Outcome{last_};
          break;
      }
    }
  }

 private:
  // Whether a push further down may pass this edge. A push must not copy shared nodes on its way. It also makes each
  // edge on its way simple, which must not make bounds too long (storable.h). Reads the child if the edge has a
  // translation.
  bool MayTake(const Edge& edge) const {
    return may_take_ && !ChildShared(edit_, edge) && !TooLongToTake(edit_, edge, Reach::kDisk);
  }

  // Whether what waits for `range` may be pushed into the child. If the child is shared, that copies it, so it must
  // hold little compared with what is pushed. More than a node's size is not pushed into a copy, but left to background
  // work, which flushes it edge by edge. So the copy, which the clone shares before anything is flushed from it, has at
  // most a few times a node's size. Requires: the child is interior, since a push must not touch a leaf.
  bool MayPush(const Node& node, size_t index, const Range& range) const {
    return MayPush(node.edges[index], range) && CanTakeChild(edit_, node, index).ok();
  }

  bool MayPush(const Edge& edge, const Range& range) const {
    if (!may_take_ || !ChildShared(edit_, edge)) return MayTake(edge);
    const Bytes moved = edge.partition.Cut(range).Size();
    return moved <= edit_.shape().node_size && WorthCopying(edit_, edge, moved, Reach::kDisk) &&
           !TooLongToTake(edit_, edge, Reach::kDisk);
  }

  // Goes on to the target of the link. False, and nothing is done, if the prefix would become too long there.
  bool Follow(const Link& link) {
    std::string below = link.Map(prefix_);
    if (Bytes{below.size()} > kMaxMergedBound) return false;
    prefix_ = std::move(below);
    at_ = link.target;
    ++depth_;
    return true;
  }

  Edit& edit_;
  NodeId at_;
  std::string prefix_;
  bool may_take_;
  Height above_ = kAboveRoot;
  Place last_{};  // the last node on the way that could be read
  int depth_ = 0;
};

// Whether a clone that waits lies within `range`.
bool HoldsWholeGoto(const Partition& partition, const Range& range) {
  const std::vector<Goto>& gotos = partition.gotos;
  for (size_t i = FirstGotoAfter(gotos, range.lo); i < gotos.size() && gotos[i].link.range.lo < range.hi; ++i) {
    if (!gotos[i].Erases() && range.Covers(gotos[i].link.range)) return true;
  }
  return false;
}

// Adds levels until the root is higher than a goto's target.
absl::Status GrowAbove(Edit& edit, NodeId& root, Height target) {
  const auto is_low = [&] {
    const NodeRecord* const record = edit.table().Find(root);
    return record != nullptr && record->height <= target;
  };
  while (is_low()) {
    BETR_ASSIGN_OR_RETURN(root, GrowRoot(edit, root));
    ++edit.counters().levels_grown;
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Place> FindPlace(Edit& edit, NodeId& root, std::string_view prefix) {
  for (;;) {
    BETR_ASSIGN_OR_RETURN(const Walk::Outcome outcome, Walk(edit, root, prefix).Run());
    if (!outcome.push) {
      const Place& place = outcome.place;
      if (place.node == kNoNode || ShowsNothing(edit.table(), place.node, Range::Prefix(place.prefix))) return Place{};
      edit.Retain(place.node);
      BETR_RETURN_IF_ERROR(edit.status());
      return place;
    }
    BETR_ASSIGN_OR_RETURN(OwnChild own, TakeRoot(edit, root));
    BETR_RETURN_IF_ERROR(PushAt(edit, own.node, Range::Prefix(prefix), outcome.depth));
    root = PutNode(edit, std::move(own));
  }
}

absl::StatusOr<bool> HoldsWholeNode(const NodeTable& table, NodeId root, std::string_view prefix) {
  std::string local(prefix);
  Height above = kAboveRoot;
  for (NodeId id = root;;) {
    BETR_ASSIGN_OR_RETURN(const NodePtr node, LoadNode(table, id));
    const Range range = Range::Prefix(local);
    BETR_RETURN_IF_ERROR(CheckBelow(id, *node, above, range));
    above = node->height;
    for (const Edge& edge : node->edges) {
      if (!edge.link.Null() && range.Covers(edge.link.range)) return true;
      if (HoldsWholeGoto(edge.partition, range)) return true;
    }
    if (node->height < 2) return false;
    BETR_ASSIGN_OR_RETURN(const WayStep step, FindWayStep(*node, range));
    const Link& way = step.LinkIn(*node);
    if (step.kind == WayStep::kStop || way.Null()) return false;
    local = way.Map(local);
    id = way.target;
  }
}

Goto CloneOf(Edit& edit, const Place& place, std::string_view to) {
  ++edit.counters().clones;
  return {Link{Range::Prefix(to), place.node, place.prefix}, place.height, 0};
}

Goto EraseOf(const Range& range) { return {Link{range, kNoNode, {}}, 0, 0}; }

absl::Status InsertGotos(Edit& edit, NodeId& root, std::vector<Goto> gotos) {
  Bytes size{0};
  for (const Goto& message : gotos) {
    size += GotoSize(message);
    if (!message.Erases()) BETR_RETURN_IF_ERROR(GrowAbove(edit, root, message.target_height));
  }
  BETR_ASSIGN_OR_RETURN(OwnChild own, TakeRootFor(edit, root, size));
  ++edit.counters().nodes_touched;
  for (Goto& message : gotos) {
    const Range range = message.link.range;
    ArriveGoto(edit, own.node, std::move(message));
    BETR_RETURN_IF_ERROR(edit.policy().after_goto(edit, own.node, range));
  }
  BETR_ASSIGN_OR_RETURN(root, PutHealedRoot(edit, std::move(own)));
  return absl::OkStatus();
}

}  // namespace betr::dag
