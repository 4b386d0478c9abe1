// SPDX-License-Identifier: Apache-2.0
#include "dag/change/job.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <utility>

#include "base/status.h"
#include "dag/alike.h"
#include "dag/change/carve.h"
#include "dag/change/child.h"
#include "dag/change/choose_flush.h"
#include "dag/change/flush.h"
#include "dag/change/pack.h"
#include "dag/change/split.h"
#include "dag/erases.h"
#include "dag/live.h"
#include "dag/storable.h"

namespace betr::dag {
namespace {

// A child of which some messages cannot move on gets no more if it buffers more than this many times a node's size.
constexpr uint64_t kMostStuck = 4;
// A node that buffers more than this many times a node's size copies shared children even where that is not worth it.
constexpr uint64_t kMostOverfull = 2;

// Whether a goto may hide points that wait with it. Does not look at the points themselves.
bool HidesPoints(const Edge& edge, const Goto& message) {
  for (size_t i = 0; i < message.over; ++i) {
    if (edge.partition.runs[i].clip.Overlaps(message.link.range)) return true;
  }
  return false;
}

// Whether the edge may show something of its child in `range`, which is in the parent's space.
bool ChildShows(const Edit& edit, const Edge& edge, const Range& range) {
  return !edge.link.Null() && !ShowsNothing(edit.table(), edge.link.target, edge.link.Cut(range).Image());
}

// Whether a goto may hide anything, which then keeps its space.
bool Pins(const Edit& edit, const Edge& edge, const Goto& message) {
  return HidesPoints(edge, message) || ChildShows(edit, edge, message.link.range);
}

// Whether any goto of the edge may hide something. Looks first at what the child shows under all of them together.
// Clones that are made beside each other hide nothing there, and then the child need not be searched for each.
bool AnyPins(const Edit& edit, const Edge& edge) {
  const std::vector<Goto>& gotos = edge.partition.gotos;
  const bool may_hide_below =
      !gotos.empty() && ChildShows(edit, edge, {gotos.front().link.range.lo, gotos.back().link.range.hi});
  return std::any_of(gotos.begin(), gotos.end(), [&](const Goto& message) {
    return HidesPoints(edge, message) || (may_hide_below && ChildShows(edit, edge, message.link.range));
  });
}

bool DropsErase(const Edit& edit, const Edge& edge, const Goto& message) {
  return message.Erases() && !Pins(edit, edge, message);
}

// Whether a goto of the edge would take a whole child away from `child`.
bool FreesNode(const Edge& edge, const Node& child) {
  for (const Goto& message : edge.partition.gotos) {
    const Range image = edge.link.Map(message.link.range);
    for (const Edge& below : child.edges) {
      if (!below.link.Null() && image.Covers(below.link.range)) return true;
    }
  }
  return false;
}

// Returns the child of an edge. Reads it only if range erases or clones wait for it. Null if it is not in memory or
// cannot be read. Whoever needs the child gets the error.
NodePtr ChildToAsk(const Edit& edit, const Edge& edge) {
  if (edge.partition.gotos.empty()) return edit.Peek(edge.link.target);
  return edit.Load(edge.link.target).value_or(nullptr);
}

// The least that an ordinary flush moves: what waits at the heaviest edge of a full node.
Bytes OrdinaryFlush(const Shape& shape) { return shape.node_size / shape.fanout; }

// Whether the range erases of an edge cover half of the bytes that it shows of a leaf. If the leaf is shared, they must
// cover seven eighths, so that its copy is small.
bool HalvesLeaf(const Edit& edit, const Edge& edge) {
  if (edge.partition.gotos.empty()) return false;
  const NodePtr leaf = ChildToAsk(edit, edge);
  const Shown shown = ShownBy(edit.table(), edge.link, Reach::kMemory).value_or(Shown{});
  if (leaf == nullptr || !shown.known) return false;
  Bytes erased{0};
  for (const Goto& message : edge.partition.gotos) {
    const Range image = edge.link.Map(message.link.range);
    for (const BlockView& basement : leaf->basements) {
      erased += image.Covers(basement.clip) ? PackedSize(basement) : Bytes{0};
    }
  }
  return erased > Bytes{0} && erased * 8 >= shown.bytes * (ChildShared(edit, edge) ? 7 : 4);
}

// Whether the erases of an edge, of all kinds, are enough to move on. They are if they are an eighth of the entries
// that the edge shows, or as many bytes as an ordinary flush moves. A shared leaf is copied for them, so there they
// must be seven eighths of the entries.
bool ThinsChild(const Edit& edit, const Edge& edge) {
  const Erases erases = ErasesIn(edge.partition);
  if (erases.count == 0) return false;
  const bool shared = ChildShared(edit, edge);
  if (!shared && erases.bytes >= OrdinaryFlush(edit.shape())) return true;
  const auto entries = EntriesShown(edit.table(), edge.link);
  return entries && 8 * erases.count >= *entries * (shared ? 7 : 1);
}

// Whether enough erases wait for a child to move on. They never move into a shared interior node, which would have to
// be copied.
bool ErasesMoveOn(const Edit& edit, const Node& node, const Edge& edge) {
  return !edge.link.Null() && (node.height == 1 || !ChildShared(edit, edge)) && ThinsChild(edit, edge);
}

// Whether the messages of an edge should move on even if nothing is over-full.
bool WorthFlushing(const Edit& edit, const Node& node, const Edge& edge, Reach reach, Effort effort) {
  if (edge.partition.Empty() || edge.link.Null()) return false;
  const bool sooner = effort == Effort::kEverything || (effort == Effort::kErases && MayErase(edge.partition, reach));
  if (sooner && !ChildShared(edit, edge)) return true;
  if (ErasesMoveOn(edit, node, edge)) return true;
  if (node.height == 1) return HalvesLeaf(edit, edge);
  if (ChildShared(edit, edge)) return false;
  if (node.height > 2) return AnyPins(edit, edge);
  const NodePtr child = ChildToAsk(edit, edge);
  return child != nullptr && (FreesNode(edge, *child) || edge.partition.gotos.size() >= child->edges.size());
}

// Whether an edge may show nothing of its child. It can only if something was taken away. Then it is shared, has gotos,
// or was narrowed and lies beside a null edge. So other children need not be read for the answer.
bool MayShowNothing(const Edit& edit, const Node& node, size_t index) {
  const Edge& edge = node.edges[index];
  const bool beside_nothing = (index > 0 && node.edges[index - 1].link.Null()) ||
                              (index + 1 < node.edges.size() && node.edges[index + 1].link.Null());
  return !edge.link.Null() && (beside_nothing || !edge.partition.gotos.empty() || ChildShared(edit, edge));
}

std::optional<Job> EdgeJob(const Edit& edit, NodeId id, const Node& node, size_t index, Reach reach, Effort effort) {
  const Edge& edge = node.edges[index];
  const std::vector<Goto>& gotos = edge.partition.gotos;
  const bool shared = ChildShared(edit, edge);
  if (MayShowNothing(edit, node, index) && ShowsNothing(edit.table(), edge, reach)) return Job{Job::kClear, index};
  if (std::any_of(gotos.begin(), gotos.end(), [&](const Goto& message) { return DropsErase(edit, edge, message); })) {
    return Job{Job::kDropErases, index};
  }
  if (shared ? ErasedAtAnEnd(edge) : ErasedWhole(edge)) return Job{Job::kNarrow, index};
  if (WhyLeftOut(edit, id, edge).ok() && WorthFlushing(edit, node, edge, reach, effort)) return Job{Job::kFlush, index};
  return std::nullopt;
}

// Whether a range erase waits for a part of `range`, which is in the child's space.
bool ErasesPartOf(const Edge& edge, const Range& range) {
  return std::ranges::any_of(edge.partition.gotos, [&](const Goto& message) {
    return message.Erases() && edge.link.Map(message.link.range).Overlaps(range);
  });
}

// Returns why the child of an edge gets no more messages, or ok. It gets none if it buffers more than kMostStuck times
// a node's size and some of that cannot move on. It still gets range erases of what cannot move on, until it buffers
// kMostStuck times that.
absl::Status WhyCrowded(const Edit& edit, NodeId id, const Edge& edge) {
  const NodePtr child = edge.link.Null() ? nullptr : edit.Peek(edge.link.target);
  const Bytes most = edit.shape().node_size * kMostStuck;
  if (child == nullptr || child->Leaf() || child->Size() <= most) return absl::OkStatus();
  const NodeRecord* above = edit.table().Find(id);
  if (above != nullptr && child->height >= above->height) {
    return absl::OkStatus();  // whoever goes there will be told
  }
  absl::Status why;
  for (const Edge& below : child->edges) {
    if (absl::Status stuck = WhyLeftOut(edit, edge.link.target, below); !stuck.ok()) {
      if (child->Size() <= most * kMostStuck && ErasesPartOf(edge, below.link.range)) return absl::OkStatus();
      why = std::move(stuck);
    }
  }
  return why;
}

absl::Status WhyTooLong(const Edit& edit, const Edge& edge) {
  if (!TooLongToTake(edit, edge, Reach::kMemory)) return absl::OkStatus();
  return absl::OutOfRangeError(absl::StrCat("node ", edge.link.target.value,
                                            ": the prefixes of the clones that lead there are too long together"));
}

// How much of what a node buffers may move on. Counts all of it if that is not more than a node's size.
Bytes Movable(const Edit& edit, NodeId id, const Node& node) {
  Bytes size = node.Size();
  if (size > edit.shape().node_size) {
    const BlockShares shares(node);
    size = Bytes{0};
    for (const Edge& edge : node.edges) size += WhyLeftOut(edit, id, edge).ok() ? shares.Of(edge.partition) : Bytes{0};
  }
  return size;
}

// Whether a node has so much beside its blocks that it might soon be too large to be stored, however small its blocks
// are. It may have very many views of the same blocks, or very long bounds.
bool HasMuchBesideBlocks(const Node& node) {
  const BoundSizes sizes = BoundSizesOf(node);
  return sizes.items > kMostItems || sizes.together > kMaxBounds / 2;
}

absl::Status TidyChild(Edit& edit, Node& node, size_t index) {
  BETR_ASSIGN_OR_RETURN(OwnChild child, TakeChild(edit, node, index));
  if (child.node.Leaf()) Pack(edit, child.node);
  return PutSplitChild(edit, node, index, std::move(child)).status();
}

}  // namespace

absl::Status WhyLeftOut(const Edit& edit, NodeId id, const Edge& edge) {
  if (edit.LeavesOutNothing()) return absl::OkStatus();
  absl::Status why = edit.context().left_out->EdgeStatus(id, edge.link.range.lo);
  why.Update(WhyTooLong(edit, edge));
  return why.ok() ? WhyCrowded(edit, id, edge) : why;
}

std::optional<Job> FlushIfOverfull(const Edit& edit, NodeId id, const Node& node, Sharing sharing) {
  if (sharing == Sharing::kBreak) {
    if (const auto edge = edit.policy().flush_at_once(edit, node);
        edge && WhyLeftOut(edit, id, node.edges[*edge]).ok()) {
      return Job{Job::kFlush, *edge};
    }
  }
  const Bytes movable = Movable(edit, id, node);
  const bool is_crowded = HasMuchBesideBlocks(node);
  if (movable <= edit.shape().node_size && !is_crowded) return std::nullopt;
  std::vector<size_t> edges;
  for (size_t i = 0; i < node.edges.size(); ++i) {
    if (!node.edges[i].partition.Empty() && WhyLeftOut(edit, id, node.edges[i]).ok()) edges.push_back(i);
  }
  const bool is_much = is_crowded || movable > edit.shape().node_size * kMostOverfull;
  const auto choice =
      ChooseFlush(edit, node, edges, sharing == Sharing::kBreak && !is_much ? Sharing::kLittle : sharing);
  return choice ? std::optional<Job>({Job::kFlush, choice->edge, choice->runs}) : std::nullopt;
}

std::optional<Job> FlushErases(const Edit& edit, NodeId id, const Node& node) {
  for (size_t i = 0; i < node.edges.size(); ++i) {
    if (ErasesMoveOn(edit, node, node.edges[i]) && WhyLeftOut(edit, id, node.edges[i]).ok()) return Job{Job::kFlush, i};
  }
  return std::nullopt;
}

std::optional<Job> TidyIfNeeded(const Edit& edit, NodeId id, const Node& node, size_t index, Reach reach) {
  const Edge& edge = node.edges[index];
  if (edge.link.Null() || ChildShared(edit, edge) || !WhyLeftOut(edit, id, edge).ok()) return std::nullopt;
  const bool may_read = reach == Reach::kDisk && node.height > 1;
  const NodePtr child = may_read ? edit.Load(edge.link.target).value_or(nullptr) : edit.Peek(edge.link.target);
  if (child == nullptr) return std::nullopt;
  bool needed = TooLarge(*child, edit.shape()) || child->Empty();
  if (child->bounds != edge.link.Image()) {
    const Shown shown = ShownBy(edit.table(), edge.link, Reach::kMemory).value_or(Shown{});
    needed = needed || !child->Leaf() || (shown.known && 2 * shown.bytes.value < child->Size().value);
  }
  return needed ? std::optional<Job>({Job::kTidyChild, index}) : std::nullopt;
}

std::optional<Job> FindJob(const Edit& edit, NodeId id, const Node& node, HealMode mode, Effort effort) {
  if (effort == Effort::kAll || effort == Effort::kEverything) {
    // Nothing more comes into a shared node. So if it is over-full, that is no reason to copy much of what is below it.
    if (const auto job = FlushIfOverfull(edit, id, node, edit.Shared(id) ? Sharing::kLittle : Sharing::kBreak)) {
      return job;
    }
    for (size_t i = 0; i < node.edges.size(); ++i) {
      if (const auto job = TidyIfNeeded(edit, id, node, i, mode.reach)) return job;
    }
  }
  for (size_t i = 0; i < node.edges.size(); ++i) {
    if (const auto job = EdgeJob(edit, id, node, i, mode.reach, effort)) return job;
  }
  for (size_t i = 0; i + 1 < node.edges.size(); ++i) {
    const bool is_left_out = !WhyLeftOut(edit, id, node.edges[i]).ok() || !WhyLeftOut(edit, id, node.edges[i + 1]).ok();
    if (!is_left_out && Mergeable(edit, node, i, {mode.sharing, Reach::kMemory}).value_or(false)) {
      return Job{Job::kHeal, i};
    }
  }
  return std::nullopt;
}

absl::Status DoJob(Edit& edit, Node& node, const Job& job, HealMode mode) {
  switch (job.kind) {
    case Job::kFlush:
      return FlushEdge(edit, node, job.edge, job.runs);
    case Job::kTidyChild:
      return TidyChild(edit, node, job.edge);
    case Job::kClear:
      Clear(edit, node.edges[job.edge]);
      CoalesceNullEdges(node);
      return absl::OkStatus();
    case Job::kDropErases: {
      Edge& edge = node.edges[job.edge];
      std::erase_if(edge.partition.gotos, [&](const Goto& message) { return DropsErase(edit, edge, message); });
      CoalesceNullEdges(node);
      return absl::OkStatus();
    }
    case Job::kNarrow:
      NarrowErased(edit, node, job.edge);
      return absl::OkStatus();
    case Job::kHeal:
      return Heal(edit, node, job.edge, job.edge + 1, {mode.sharing, Reach::kMemory});
  }
  return absl::OkStatus();
}

}  // namespace betr::dag
