// SPDX-License-Identifier: Apache-2.0
#include "dag/change/child.h"

#include <absl/strings/str_cat.h>

#include <utility>

#include "base/status.h"
#include "dag/change/carve.h"
#include "dag/storable.h"

namespace betr::dag {
namespace {

// Loads the target of an edge's link that is not null. Errors: kDataLoss also if it does not have a child's height, or
// does not hold all that the link shows.
absl::StatusOr<NodePtr> LoadChild(const Edit& edit, const Node& parent, const Link& link) {
  BETR_ASSIGN_OR_RETURN(NodePtr node, edit.Load(link.target));
  BETR_RETURN_IF_ERROR(CheckBelow(link.target, *node, parent.height, link.Image()));
  if (node->height + 1 != parent.height) {
    return absl::DataLossError(absl::StrCat("node ", link.target.value, ": height is ", node->height,
                                            ", but it is a child of one of height ", parent.height));
  }
  return node;
}

absl::Status NoReferences(NodeId id) {
  return absl::DataLossError(absl::StrCat("node ", id.value, ": is named, but has no references"));
}

// Takes the content of `id` for a change; a private copy if others name the node too. The caller's reference to `id`
// moves into the result or, if that is a copy, is released.
absl::StatusOr<OwnChild> Own(Edit& edit, NodeId id, const Node& node) {
  if (edit.References(id) == 0) return NoReferences(id);
  OwnChild own{id, node};
  if (edit.Shared(id)) {
    for (const Edge& edge : own.node.edges) {
      edit.Retain(edge.link.target);
      edit.RetainTargets(edge.partition);
    }
    edit.Release(id);
    own.id = kNoNode;
    ++edit.counters().unshares;
  }
  return own;
}

}  // namespace

absl::StatusOr<OwnChild> TakeChild(Edit& edit, Node& parent, size_t index) {
  Link& link = parent.edges[index].link;
  if (link.Null()) {
    const size_t lifted = link.range.Lcp().size();
    return OwnChild{kNoNode, EmptyNode(static_cast<Height>(parent.height - 1), link.range.Strip(lifted), parent.codec)};
  }
  BETR_ASSIGN_OR_RETURN(const NodePtr node, LoadChild(edit, parent, link));
  const Range image = link.Image();
  BETR_ASSIGN_OR_RETURN(OwnChild child, Own(edit, link.target, *node));
  if (child.node.bounds != image) Clip(edit, child.node, image);
  if (!link.translation.empty()) {
    child.node = Strip(child.node, link.translation);
    ++edit.counters().relifts;
  }
  // Until PutChild names the child again, the edge names nothing.
  link.target = kNoNode;
  link.translation.clear();
  return child;
}

absl::Status CanTakeChild(const Edit& edit, const Node& parent, size_t index) {
  const Link& link = parent.edges[index].link;
  if (link.Null()) return absl::OkStatus();
  BETR_RETURN_IF_ERROR(LoadChild(edit, parent, link).status());
  return edit.table().Find(link.target)->Dead() ? NoReferences(link.target) : absl::OkStatus();
}

bool TooLongToTake(const Edit& edit, const Edge& edge, Reach reach) {
  const Link& link = edge.link;
  if (link.translation.empty()) return false;
  const NodePtr child = reach == Reach::kMemory ? edit.Peek(link.target) : edit.Load(link.target).value_or(nullptr);
  return child != nullptr && GetsTooLong(link, *child);
}

NodeId PutNode(Edit& edit, OwnChild own) {
  if (own.id == kNoNode) return edit.Create(std::move(own.node));
  edit.Update(own.id, std::move(own.node));
  return own.id;
}

void PutChild(Edit& edit, Node& parent, size_t index, OwnChild child) {
  parent.edges[index].link.target = PutNode(edit, std::move(child));
}

bool WorthCopying(Bytes held, Bytes moved) {
  constexpr uint64_t kMostCopied = 4;
  return held <= moved * kMostCopied;
}

bool WorthCopying(const Edit& edit, const Edge& edge, Bytes moved, Reach reach) {
  const NodeRecord* const record = edit.table().Find(edge.link.target);
  if (record == nullptr) {
    return false;  // whoever takes the child gets the error
  }
  if (record->height == 0 && edit.Peek(edge.link.target) == nullptr) return WorthCopying(edit.shape().node_size, moved);
  const Shown shown = ShownBy(edit.table(), edge.link, reach).value_or(Shown{});
  return shown.known && WorthCopying(shown.bytes, moved);
}

bool ChildShared(const Edit& edit, const Edge& edge) { return !edge.link.Null() && edit.Shared(edge.link.target); }

absl::StatusOr<OwnChild> TakeRoot(Edit& edit, NodeId id) {
  BETR_ASSIGN_OR_RETURN(const NodePtr node, edit.Load(id));
  BETR_RETURN_IF_ERROR(CheckRoot(id, *node));
  return Own(edit, id, *node);
}

}  // namespace betr::dag
