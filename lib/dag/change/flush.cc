// SPDX-License-Identifier: Apache-2.0
#include "dag/change/flush.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/check.h"
#include "base/status.h"
#include "dag/alike.h"
#include "dag/change/arrive.h"
#include "dag/change/carve.h"
#include "dag/change/child.h"
#include "dag/change/heal.h"
#include "dag/change/lower.h"
#include "dag/change/pack.h"
#include "dag/change/split.h"

namespace betr::dag {
namespace {

void CountFlush(Edit& edit, Height height) {
  auto& counts = edit.counters().flushes_by_height;
  ++counts[std::min<size_t>(height, counts.size() - 1)];
}

// Flushes and heals what lies behind a bound, until the budget is spent.
class DeepFlush {
 public:
  DeepFlush(Edit& edit, Bytes budget) : edit_(edit), budget_(std::max(budget, Bytes{1})) {}

  // `from` is in the node's space, and so is Stopped() afterwards.
  absl::Status Run(Node& node, const Bound& from) {
    if (node.Leaf()) return absl::OkStatus();
    const size_t first = node.EdgeAfter(from);
    size_t i = first;
    while (i < node.edges.size() && !stopped_) {
      if (Settled(node, node.edges[i])) {
        ++i;
      } else if (spent_ >= budget_) {
        stopped_ = node.edges[i].link.range.lo;
      } else {
        BETR_ASSIGN_OR_RETURN(const size_t count, RunBelow(node, i, from));
        i += count;
      }
    }
    return Heal(edit_, node, first, i, {Sharing::kKeep, Reach::kDisk});
  }

  const std::optional<Bound>& Stopped() const { return stopped_; }

 private:
  // Flushes edge `i`, and all below it behind `from`. Returns the number of edges that it has become.
  absl::StatusOr<size_t> RunBelow(Node& node, size_t i, const Bound& from) {
    const bool holds_more = node.height == 1 && HoldsMore(node.edges[i]);
    BETR_ASSIGN_OR_RETURN(OwnChild child, TakeChild(edit_, node, i));
    const Link link = node.edges[i].link;
    const Partition news = std::exchange(node.edges[i].partition, {}).Strip(link.range.Lcp());
    BETR_RETURN_IF_ERROR(Arrive(edit_, child.node, news));
    if (holds_more) Trim(child.node);
    BETR_RETURN_IF_ERROR(Run(child.node, link.Map(std::max(from, link.range.lo))));
    if (stopped_) stopped_ = link.Unmap(*stopped_);
    spent_ += child.node.Size();
    return PutSplitChild(edit_, node, i, std::move(child));
  }

  // Whether nothing is to be done for an edge, or nothing can be done. If no messages wait, nothing is to be done for a
  // null edge, for a shared child, or for a leaf that holds no more than the edge shows. Nothing can be done if the
  // child would get too long bounds (storable.h).
  bool Settled(const Node& node, const Edge& edge) const {
    if (edge.partition.Empty()) {
      if (edge.link.Null() || ChildShared(edit_, edge) || (node.height == 1 && !HoldsMore(edge))) return true;
    }
    return TooLongToTake(edit_, edge, Reach::kDisk);
  }

  // Whether a leaf's bounds reach beyond what its edge shows. Reads the leaf's header. False if that cannot be read.
  bool HoldsMore(const Edge& edge) const {
    const NodePtr leaf = edge.link.Null() ? nullptr : edit_.Load(edge.link.target).value_or(nullptr);
    return leaf != nullptr && leaf->bounds != edge.link.Image();
  }

  // Packs what is left of a leaf that was cut. For that, it reads the basements at both ends. One that cannot be read
  // stays whole.
  void Trim(Node& leaf) {
    if (!leaf.basements.empty()) {
      leaf.basements.front().slot->Get().IgnoreError();
      leaf.basements.back().slot->Get().IgnoreError();
    }
    Pack(edit_, leaf);
  }

  Edit& edit_;
  const Bytes budget_;
  Bytes spent_{0};
  std::optional<Bound> stopped_;
};

// Takes the oldest `runs` runs out of a partition; with kAllRuns also the gotos.
Partition TakeRuns(Partition& partition, size_t runs) {
  if (runs == kAllRuns) return std::exchange(partition, {});
  const auto end = partition.runs.begin() + static_cast<ptrdiff_t>(runs);
  Partition taken{{std::make_move_iterator(partition.runs.begin()), std::make_move_iterator(end)}, {}};
  partition.runs.erase(partition.runs.begin(), end);
  for (Goto& message : partition.gotos) message.over -= static_cast<uint32_t>(runs);
  return taken;
}

// Returns the edges that take the place of an edge which began like a flushed one (alike.h). `pieces` are the links
// that the flushed edge has become, without the prefix that all of its keys share.
std::vector<Edge> LikePieces(Edit& edit, Edge edge, const std::vector<Link>& pieces, size_t runs) {
  edit.Release(edge.link.target);
  TakeRuns(edge.partition, runs);
  std::vector<Edge> edges;
  for (const Link& piece : pieces) {
    Link link = piece.Prepend(edge.link.range.Lcp());
    Partition waits = edge.partition.Cut(link.range);
    edit.Retain(link.target);
    edit.RetainTargets(waits);
    edges.push_back({std::move(link), std::move(waits)});
  }
  edit.ReleaseTargets(edge.partition);
  return edges;
}

// Edges [index, index + count) are what a flushed edge has become. Makes the same of the edges that began alike.
// `alike` are the indices that all of these edges had before the flush, in order. Returns what `index` is from now on.
size_t FollowFlushed(Edit& edit, Node& parent, size_t index, size_t count, const std::vector<size_t>& alike,
                     size_t runs) {
  const Range whole{parent.edges[index].link.range.lo, parent.edges[index + count - 1].link.range.hi};
  std::vector<Link> pieces;
  for (size_t i = index; i < index + count; ++i) pieces.push_back(parent.edges[i].link.Strip(whole.Lcp()));
  std::vector<Edge> edges;
  size_t index_now = index;
  for (size_t i = 0; i < parent.edges.size(); ++i) {
    index_now = i == index ? edges.size() : index_now;
    const bool is_behind = i >= index + count;
    const bool is_piece = i >= index && !is_behind;
    if (is_piece || !std::ranges::binary_search(alike, is_behind ? i + 1 - count : i)) {
      edges.push_back(std::move(parent.edges[i]));
    } else {
      std::ranges::move(LikePieces(edit, std::move(parent.edges[i]), pieces, runs), std::back_inserter(edges));
    }
  }
  parent.edges = std::move(edges);
  return index_now;
}

// Takes steps of lower.h until there are no more.
absl::StatusOr<NodeId> Lower(Edit& edit, NodeId root) {
  for (size_t changed = SIZE_MAX; changed != edit.changed().size();) {
    const Sharing sharing = SharingToLower(edit, root);
    if (sharing == Sharing::kKeep) break;
    changed = edit.changed().size();
    BETR_ASSIGN_OR_RETURN(root, LowerTop(edit, root, sharing));
  }
  return root;
}

}  // namespace

absl::Status FlushEdge(Edit& edit, Node& parent, size_t index, size_t runs) {
  const Partition& waits = parent.edges[index].partition;
  if (waits.gotos.empty()) runs = std::min(runs, waits.runs.size());
  const std::vector<size_t> alike = runs == kAllRuns ? std::vector<size_t>{index} : EdgesAlike(parent, index, runs);
  BETR_ASSIGN_OR_RETURN(OwnChild child, TakeChild(edit, parent, index));
  Edge& edge = parent.edges[index];
  const Partition news = TakeRuns(edge.partition, runs).Strip(edge.link.range.Lcp());
  BETR_RETURN_IF_ERROR(Arrive(edit, child.node, news));
  CountFlush(edit, parent.height);
  BETR_ASSIGN_OR_RETURN(const size_t count, PutSplitChild(edit, parent, index, std::move(child)));
  if (alike.size() > 1) index = FollowFlushed(edit, parent, index, count, alike, runs);
  return Heal(edit, parent, index, index + count, {});
}

absl::StatusOr<NodeId> Insert(Edit& edit, NodeId root, const Partition& news) {
  BETR_ASSIGN_OR_RETURN(OwnChild own, TakeRootFor(edit, root, news.Size()));
  Check(!own.node.Leaf(), "a root is an interior node");
  BETR_RETURN_IF_ERROR(Arrive(edit, own.node, news));
  BETR_RETURN_IF_ERROR(edit.status());
  return PutNode(edit, std::move(own));
}

absl::StatusOr<Flushed> FlushFrom(Edit& edit, NodeId root, const Bound& from, Bytes budget) {
  if (from == Range::All().lo) {
    BETR_ASSIGN_OR_RETURN(root, Lower(edit, root));  // first, so that fewer levels lead to each leaf
  }
  BETR_ASSIGN_OR_RETURN(OwnChild own, TakeRoot(edit, root));
  DeepFlush flush(edit, budget);
  BETR_RETURN_IF_ERROR(flush.Run(own.node, from));
  BETR_ASSIGN_OR_RETURN(root, PutHealedRoot(edit, std::move(own)));
  if (!flush.Stopped()) {
    BETR_ASSIGN_OR_RETURN(root, Lower(edit, root));  // again: waiting messages kept neighbours from merging
  }
  return Flushed{root, flush.Stopped()};
}

}  // namespace betr::dag
