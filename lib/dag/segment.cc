// SPDX-License-Identifier: Apache-2.0
#include "dag/segment.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "base/status.h"

namespace betr::dag {
namespace {

// One walk from the root down. `shown_`, `at_` are in the space of the node that the walk is at.
class Descent {
 public:
  Descent(const Source& source, Range shown, Bound at, Direction direction, Segment& segment)
      : source_(source),
        shown_(std::move(shown)),
        at_(std::move(at)),
        forward_(direction == Direction::kForward),
        segment_(segment) {}

  absl::Status Run() {
    NodeId id = source_.root;
    Height above = kAboveRoot;
    while (id != kNoNode) {
      BETR_ASSIGN_OR_RETURN(const NodePtr node, LoadNode(source_.table, id));
      BETR_RETURN_IF_ERROR(CheckBelow(id, *node, above, shown_));
      above = node->height;
      if (node->Leaf()) {
        BETR_RETURN_IF_ERROR(VisitLeaf(*node));
        break;
      }
      BETR_ASSIGN_OR_RETURN(id, VisitInterior(*node));
    }
    segment_.range = {to_root_.Read(shown_.lo), to_root_.Read(shown_.hi)};
    return absl::OkStatus();
  }

 private:
  // Narrows to one edge and one goto or gap of its partition; returns where the walk goes on.
  absl::StatusOr<NodeId> VisitInterior(const Node& node) {
    const Edge& edge = node.edges[forward_ ? node.EdgeAfter(at_) : node.EdgeBefore(at_)];
    shown_ = shown_.Intersect(edge.link.range);
    const Goto* covering = NarrowToGoto(edge.partition.gotos);
    const size_t oldest = covering == nullptr ? 0 : covering->over;
    for (size_t i = edge.partition.runs.size(); i > oldest; --i) {
      BETR_RETURN_IF_ERROR(Read(edge.partition.runs[i - 1]));
    }
    const Link& next = covering == nullptr ? edge.link : covering->link;
    if (!next.Null()) {
      Follow(next);
    }
    return next.target;
  }

  // The goto at the position, or null; `shown_` becomes its range or the gap between its neighbours.
  const Goto* NarrowToGoto(const std::vector<Goto>& gotos) {
    const auto next = std::partition_point(gotos.begin(), gotos.end(), [&](const Goto& message) {
      return forward_ ? message.link.range.hi <= at_ : message.link.range.hi < at_;
    });
    if (next != gotos.end() && (forward_ ? next->link.range.lo <= at_ : next->link.range.lo < at_)) {
      shown_ = shown_.Intersect(next->link.range);
      return &*next;
    }
    if (next != gotos.end()) {
      shown_.hi = std::min(shown_.hi, next->link.range.lo);
    }
    if (next != gotos.begin()) {
      shown_.lo = std::max(shown_.lo, std::prev(next)->link.range.hi);
    }
    return nullptr;
  }

  // One basement, and the gaps around it.
  absl::Status VisitLeaf(const Node& leaf) {
    const auto& list = leaf.basements;
    auto it = std::partition_point(list.begin(), list.end(), [&](const BlockView& view) {
      return forward_ ? view.clip.hi <= at_ : view.clip.lo < at_;
    });
    if (forward_) {
      if (it != list.begin()) {
        shown_.lo = std::max(shown_.lo, std::prev(it)->clip.hi);
      }
      if (it == list.end()) {
        return absl::OkStatus();
      }
      shown_.hi = std::min(shown_.hi, it->clip.hi);
      return Read(*it);
    }
    if (it != list.end()) {
      shown_.hi = std::min(shown_.hi, it->clip.lo);
    }
    if (it == list.begin()) {
      return absl::OkStatus();
    }
    --it;
    shown_.lo = std::max(shown_.lo, it->clip.lo);
    return Read(*it);
  }

  // Adds a reader in root space for what a view shows.
  absl::Status Read(const BlockView& view) {
    const BlockView part = view.Cut(shown_);
    if (part.clip.Empty()) {
      return absl::OkStatus();
    }
    BETR_ASSIGN_OR_RETURN(ViewReader reader, ViewReader::Open(part.Replace(to_root_.strip, to_root_.prepend)));
    if (reader.Count() > 0) {
      segment_.readers.push_back(std::make_unique<ViewReader>(std::move(reader)));
    }
    return absl::OkStatus();
  }

  void Follow(const Link& link) {
    shown_ = link.Map(shown_);
    at_ = link.Map(at_);
    to_root_.Descend(link.range.Lcp(), link.translation);
  }

  const Source& source_;
  Range shown_;
  Bound at_;
  const bool forward_;
  Affix to_root_;  // a local key strip + x is the whole key prepend + x
  Segment& segment_;
};

}  // namespace

absl::StatusOr<Segment> FindSegment(const Source& source, const Bound& at, Direction direction) {
  Segment segment;
  Range shown = Range::All();
  for (const auto& layer : source.layers) {
    const Stretch stretch = layer->Around(at, direction);
    shown = shown.Intersect(stretch.range);
    segment.readers.push_back(layer->Points());
    if (stretch.erased) {
      segment.range = shown;
      return segment;
    }
  }
  BETR_RETURN_IF_ERROR(Descent(source, std::move(shown), at, direction, segment).Run());
  Check(!segment.range.Empty(), "a segment makes progress");
  return segment;
}

}  // namespace betr::dag
