// SPDX-License-Identifier: Apache-2.0
#include "dag/read/descent.h"

#include <algorithm>
#include <utility>

#include "base/status.h"

namespace betr::dag {

Descent::Descent(const Source& source, const Range& within, const Bound& at, Direction direction)
    : source_(source), node_(source.root), shown_(within), at_(at), forward_(direction == Direction::kForward) {
  for (const auto& layer : source.layers) {
    const Stretch stretch = layer->Around(at, direction);
    shown_ = shown_.Intersect(stretch.range);
    readers_.push_back(layer->Points());
    if (stretch.erased) {
      node_ = kNoNode;
      return;
    }
  }
}

absl::StatusOr<Height> Descent::HeightOfNode() const {
  const NodeRecord* const record = source_.table.Find(node_);
  if (record == nullptr) {
    return LoadNode(source_.table, node_).status();  // says what is wrong
  }
  return record->height;
}

absl::Status Descent::Step() {
  BETR_ASSIGN_OR_RETURN(const NodePtr node, LoadNode(source_.table, node_));
  BETR_RETURN_IF_ERROR(CheckBelow(node_, *node, above_, shown_));
  above_ = node->height;
  return node->Leaf() ? VisitLeaf(*node) : VisitInterior(*node);
}

// Narrows to one edge, and to one goto of its partition or the gap between two. Goes on there.
absl::Status Descent::VisitInterior(const Node& node) {
  const Edge& edge = node.edges[forward_ ? node.EdgeAfter(at_) : node.EdgeBefore(at_)];
  shown_ = shown_.Intersect(edge.link.range);
  const Goto* covering = NarrowToGoto(edge.partition.gotos);
  const size_t oldest = covering == nullptr ? 0 : covering->over;
  for (size_t i = edge.partition.runs.size(); i > oldest; --i) BETR_RETURN_IF_ERROR(Read(edge.partition.runs[i - 1]));
  const Link& next = covering == nullptr ? edge.link : covering->link;
  node_ = next.target;
  if (!next.Null()) {
    shown_ = next.Map(shown_);
    at_ = next.Map(at_);
    to_root_.Descend(next.range.Lcp(), next.translation);
  }
  return absl::OkStatus();
}

// Returns the goto at the position, or null. Narrows `shown_` to the goto's range or, if there is none, to the gap
// between gotos.
const Goto* Descent::NarrowToGoto(const std::vector<Goto>& gotos) {
  const auto next = std::partition_point(gotos.begin(), gotos.end(), [&](const Goto& message) {
    return forward_ ? message.link.range.hi <= at_ : message.link.range.hi < at_;
  });
  if (next != gotos.end() && (forward_ ? next->link.range.lo <= at_ : next->link.range.lo < at_)) {
    shown_ = shown_.Intersect(next->link.range);
    return &*next;
  }
  if (next != gotos.end()) shown_.hi = std::min(shown_.hi, next->link.range.lo);
  if (next != gotos.begin()) shown_.lo = std::max(shown_.lo, std::prev(next)->link.range.hi);
  return nullptr;
}

// Narrows to one basement and the gap before it; going backward, the gap behind it.
absl::Status Descent::VisitLeaf(const Node& leaf) {
  node_ = kNoNode;
  saw_leaf_ = true;
  const auto& list = leaf.basements;
  auto it = std::partition_point(list.begin(), list.end(), [&](const BlockView& view) {
    return forward_ ? view.clip.hi <= at_ : view.clip.lo < at_;
  });
  if (forward_) {
    if (it != list.begin()) shown_.lo = std::max(shown_.lo, std::prev(it)->clip.hi);
    if (it == list.end()) return absl::OkStatus();
    shown_.hi = std::min(shown_.hi, it->clip.hi);
    return Read(*it);
  }
  if (it != list.end()) shown_.hi = std::min(shown_.hi, it->clip.lo);
  if (it == list.begin()) return absl::OkStatus();
  --it;
  shown_.lo = std::max(shown_.lo, it->clip.lo);
  return Read(*it);
}

// Adds a reader in root space for what a view has in `shown_`.
absl::Status Descent::Read(const BlockView& view) {
  const BlockView part = view.Cut(shown_);
  if (part.clip.Empty()) return absl::OkStatus();
  BETR_ASSIGN_OR_RETURN(ViewReader reader, ViewReader::Open(part.Replace(to_root_.strip, to_root_.prepend)));
  if (reader.Count() > 0) readers_.push_back(std::make_unique<ViewReader>(std::move(reader)));
  return absl::OkStatus();
}

}  // namespace betr::dag
