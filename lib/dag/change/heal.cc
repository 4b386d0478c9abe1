// SPDX-License-Identifier: Apache-2.0
#include "dag/change/heal.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "base/check.h"
#include "base/status.h"
#include "dag/change/arrive.h"
#include "dag/change/carve.h"
#include "dag/change/pack.h"
#include "dag/change/split.h"
#include "dag/storable.h"

namespace betr::dag {
namespace {

// Appends what `right` holds to `left`. Requires: both are in the same space.
void Append(Node& left, Node right) {
  Check(left.bounds.hi == right.bounds.lo, "merged nodes are neighbours");
  left.bounds.hi = std::move(right.bounds.hi);
  std::move(right.edges.begin(), right.edges.end(), std::back_inserter(left.edges));
  std::move(right.basements.begin(), right.basements.end(), std::back_inserter(left.basements));
  CoalesceNullEdges(left);
}

// Makes edges of a merged node null that show nothing. The node has been cut at both ends, and what is left of an edge
// there may show nothing.
void DropIdleFringes(Edit& edit, Node& node) {
  for (Edge& edge : node.edges) {
    if (!edge.link.Null() && ShowsNothing(edit.table(), edge)) Clear(edit, edge);
  }
  CoalesceNullEdges(node);
}

// Merges the children of edges i and i + 1 into one, under one edge. The result is a new node, even if it equals one of
// them. That one may hold more than its edge showed, and what is shown of a node never grows (prune.h).
absl::Status Merge(Edit& edit, Node& node, size_t i) {
  const Range joint{node.edges[i].link.range.lo, node.edges[i + 1].link.range.hi};
  const size_t lifted = joint.Lcp().size();
  Edge merged{Link{joint, kNoNode, {}}, {}};
  if (!node.edges[i].link.Null() || !node.edges[i + 1].link.Null()) {
    BETR_ASSIGN_OR_RETURN(OwnChild left, TakeChild(edit, node, i));
    BETR_ASSIGN_OR_RETURN(const OwnChild right, TakeChild(edit, node, i + 1));
    left.node = Prepend(left.node, node.edges[i].link.range.Lcp().substr(lifted));
    Append(left.node, Prepend(right.node, node.edges[i + 1].link.range.Lcp().substr(lifted)));
    Pack(edit, left.node);
    DropIdleFringes(edit, left.node);
    for (const NodeId id : {left.id, right.id}) {
      if (id != kNoNode) edit.Discard(id);
    }
    if (!left.node.Empty()) merged.link.target = edit.Create(std::move(left.node));
    ++edit.counters().merges;
  }
  merged.partition = std::move(node.edges[i].partition);
  merged.partition.Append(std::move(node.edges[i + 1].partition));
  node.edges[i] = std::move(merged);
  node.edges.erase(node.edges.begin() + static_cast<ptrdiff_t>(i) + 1);
  return absl::OkStatus();
}

// Replaces a root whose only edge is null by one that is as low as the buffered gotos allow.
absl::Status LowerNullRoot(Edit& edit, OwnChild& root) {
  Height height = 1;
  for (const Goto& message : root.node.edges[0].partition.gotos) {
    if (!message.Erases()) height = std::max(height, static_cast<Height>(message.target_height + 1));
  }
  if (height >= root.node.height) return absl::OkStatus();
  const Partition news = std::move(root.node.edges[0].partition);
  OwnChild lower{kNoNode, EmptyNode(height, root.node.bounds, root.node.codec)};
  BETR_RETURN_IF_ERROR(Arrive(edit, lower.node, news));
  if (root.id != kNoNode) edit.Discard(root.id);
  root = std::move(lower);
  return absl::OkStatus();
}

// Replaces a root with a single edge by its child.
absl::Status DropLevel(Edit& edit, OwnChild& root) {
  BETR_ASSIGN_OR_RETURN(OwnChild child, TakeChild(edit, root.node, 0));
  BETR_RETURN_IF_ERROR(Arrive(edit, child.node, root.node.edges[0].partition));
  if (root.id != kNoNode) edit.Discard(root.id);
  root = std::move(child);
  return absl::OkStatus();
}

// The most that a merged child may hold: live edges or, of a leaf, bytes.
uint64_t Room(const Shape& shape, Height parent_height) {
  return (parent_height == 1 ? shape.node_size.value : shape.fanout) * 3 / 4;
}

// Merging may copy this part of a node's size from shared leaves: a quarter.
constexpr uint64_t kPartOfLeafToCopy = 4;

// The node into which the children of all edges in a range would be merged.
class Union {
 public:
  Union(const Edit& edit, Height parent_height, const Range& range)
      : edit_(edit), parent_height_(parent_height), lifted_(range.Lcp().size()) {}

  absl::Status Add(const Edge& edge, Reach reach) {
    BETR_ASSIGN_OR_RETURN(const Shown shown, ShownBy(edit_.table(), edge.link, reach));
    known_ = known_ && shown.known;
    const Bytes longer{edge.link.range.Lcp().size() - lifted_ + edge.link.translation.size()};
    if (longer > Bytes{0} && !edge.link.Null()) {
      const NodePtr child =
          reach == Reach::kMemory ? edit_.Peek(edge.link.target) : edit_.Load(edge.link.target).value_or(nullptr);
      known_ = known_ && child != nullptr;
      longest_ = std::max(longest_, child == nullptr ? Bytes{0} : BoundSizesOf(*child).longest + longer);
    }
    edges_ += shown.edges;
    bytes_ += shown.bytes;
    if (ChildShared(edit_, edge)) copied_ += shown.bytes;
    return absl::OkStatus();
  }

  void AddEdges(size_t count) { edges_ += count; }

  // Whether no bound, translation or affix of the union would be too long.
  bool StaysShort() const { return longest_ <= kMaxMergedBound; }
  // Whether the union fits into one node and leaves room to grow.
  bool Fits() const {
    return known_ && StaysShort() &&
           (parent_height_ == 1 ? bytes_.value : edges_) <= Room(edit_.shape(), parent_height_);
  }
  // Whether merging costs little. A node that buffers too much would only have to be flushed, and what is shared is
  // copied.
  bool Cheap() const { return bytes_ <= edit_.shape().node_size && CopiesLittle(); }
  bool CopiesLittle() const {
    const Bytes node = edit_.shape().node_size;
    return known_ && copied_ <= (parent_height_ == 1 ? node / kPartOfLeafToCopy : LittleToCopy(edit_.shape()));
  }

 private:
  const Edit& edit_;
  const Height parent_height_;
  const size_t lifted_;  // bytes that the union's edge strips
  bool known_ = true;
  uint64_t edges_ = 0;
  Bytes bytes_{0};
  Bytes copied_{0};
  Bytes longest_{0};  // of what gets longer; an upper bound
};

// Whether everything that a node buffers can be read.
bool CanReadMessages(const Node& node) {
  const auto can_read = [](const BlockView& run) { return run.slot->Get().ok(); };
  return std::ranges::all_of(node.edges,
                             [&](const Edge& edge) { return std::ranges::all_of(edge.partition.runs, can_read); });
}

}  // namespace

absl::StatusOr<bool> Mergeable(const Edit& edit, const Node& node, size_t index, HealMode mode) {
  Union both(edit, node.height, {node.edges[index].link.range.lo, node.edges[index + 1].link.range.hi});
  const bool keeps_shared = mode.sharing == Sharing::kKeep || (mode.sharing == Sharing::kLittle && node.height == 1);
  for (const size_t i : {index, index + 1}) {
    if (keeps_shared && ChildShared(edit, node.edges[i])) return false;
    BETR_RETURN_IF_ERROR(both.Add(node.edges[i], mode.reach));
  }
  const bool any_price = mode.sharing == Sharing::kBreak && node.height > 1;  // not leaves: they are most of the space
  const bool mergeable = both.Fits() && (any_price || both.Cheap());
  return mergeable && CanTakeChild(edit, node, index).ok() && CanTakeChild(edit, node, index + 1).ok();
}

absl::Status Heal(Edit& edit, Node& node, size_t from, size_t to, HealMode mode) {
  for (size_t i = from == 0 ? 0 : from - 1; i + 1 < node.edges.size() && i < to;) {
    // What cannot be read stays as it is. Whoever needs it gets the error.
    if (Mergeable(edit, node, i, mode).value_or(false)) {
      BETR_RETURN_IF_ERROR(Merge(edit, node, i));
      --to;
    } else {
      ++i;
    }
  }
  return absl::OkStatus();
}

absl::Status Heal(Edit& edit, Node& node, HealMode mode) { return Heal(edit, node, 0, node.edges.size(), mode); }

bool LevelTooMany(const Edit& edit, const Node& root, Sharing sharing) {
  if (root.height < 2) return false;
  const Reach reach = ReachOf(root.height);
  Union all(edit, root.height, root.bounds);
  if (root.edges.size() == 1) {
    if (!CanTakeChild(edit, root, 0).ok() || !all.Add(root.edges[0], reach).ok()) return false;
    const bool any_price = sharing == Sharing::kBreak || !ChildShared(edit, root.edges[0]);
    return all.StaysShort() && (any_price || all.CopiesLittle()) && CanReadMessages(root);
  }
  for (const Edge& edge : root.edges) {
    if (!all.Add(edge, reach).ok()) return false;
    all.AddEdges(edge.partition.gotos.size());  // which may become edges one level down
    if (!all.Fits()) {
      return false;  // nor will more edges fit
    }
  }
  return all.Cheap() && CanReadMessages(root);
}

absl::StatusOr<NodeId> PutHealedRoot(Edit& edit, OwnChild root, Sharing sharing) {
  BETR_RETURN_IF_ERROR(Heal(edit, root.node, {Sharing::kKeep, ReachOf(root.node.height)}));
  while (LevelTooMany(edit, root.node, sharing)) {
    BETR_RETURN_IF_ERROR(Heal(edit, root.node, {Sharing::kLittle, ReachOf(root.node.height)}));
    if (root.node.edges.size() > 1) {
      break;  // something has left memory in between
    }
    if (root.node.edges[0].link.Null()) {
      BETR_RETURN_IF_ERROR(LowerNullRoot(edit, root));
      break;
    }
    BETR_RETURN_IF_ERROR(DropLevel(edit, root));
  }
  BETR_RETURN_IF_ERROR(edit.status());
  return PutSplitRoot(edit, std::move(root));
}

absl::StatusOr<OwnChild> TakeRootFor(Edit& edit, NodeId id, Bytes news) {
  if (edit.Shared(id)) {
    BETR_ASSIGN_OR_RETURN(const NodePtr root, edit.Load(id));
    const bool is_little = root->Size() <= LittleToCopy(edit.shape()) || WorthCopying(root->Size(), news);
    if (!is_little && SharingToLower(edit, id) != Sharing::kBreak) {
      BETR_ASSIGN_OR_RETURN(id, GrowRoot(edit, id));
      ++edit.counters().levels_grown;
    }
  }
  return TakeRoot(edit, id);
}

Height ExplainedHeight(const Shape& shape, const TreeContent& content) {
  const double bytes = content.bytes + content.keys * static_cast<double>(kUsualEntryOverhead);
  const double half = std::max(2.0, std::floor(static_cast<double>(shape.fanout) / 2));
  double nodes = std::floor(2 * bytes / static_cast<double>(shape.node_size.value)) + 1;
  Height height = 1;
  for (; nodes > half && height < kMaxHeight; nodes = std::floor(nodes / half) + 1) ++height;
  return height;
}

Sharing SharingToLower(const Edit& edit, NodeId root) {
  const NodeRecord* const record = edit.table().Find(root);
  if (record == nullptr) {
    return Sharing::kKeep;  // whoever takes the root gets the error
  }
  const Height height = record->height;
  const auto explains = [&](const TreeContent& content) { return ExplainedHeight(edit.shape(), content) >= height; };
  const auto content =
      EstimateTree(edit.table(), root, ReachOf(height), Bytes{edit.shape().node_size.value / 2}, explains);
  if (!content || explains(*content)) return Sharing::kKeep;
  const bool is_small =
      content->bytes <= static_cast<double>(LittleToCopy(edit.shape()).value);  // and so is all that might be copied
  const bool is_much = height > ExplainedHeight(edit.shape(), *content) + kLevelsBetweenClones;
  return is_small || is_much ? Sharing::kBreak : Sharing::kLittle;
}

}  // namespace betr::dag
