// SPDX-License-Identifier: Apache-2.0
#include "dag/child.h"

#include <utility>

#include "base/status.h"
#include "dag/carve.h"

namespace betr::dag {
namespace {

// The content of `id` as the caller's own: a private copy if others name the node too. Gives up one reference.
absl::StatusOr<OwnChild> Own(Edit& edit, NodeId id) {
  BETR_ASSIGN_OR_RETURN(const NodePtr node, edit.Load(id));
  OwnChild own{id, *node};
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

NodeId Store(Edit& edit, OwnChild child) {
  if (child.id == kNoNode) {
    return edit.Create(std::move(child.node));
  }
  edit.Update(child.id, std::move(child.node));
  return child.id;
}

}  // namespace

absl::StatusOr<OwnChild> TakeChild(Edit& edit, Node& parent, size_t index) {
  Link& link = parent.edges[index].link;
  if (link.Null()) {
    const size_t lifted = link.range.Lcp().size();
    return OwnChild{kNoNode, EmptyNode(static_cast<Height>(parent.height - 1), link.range.Strip(lifted), parent.codec)};
  }
  BETR_ASSIGN_OR_RETURN(OwnChild child, Own(edit, link.target));
  if (const Range image = link.Image(); child.node.bounds != image) {
    Clip(edit, child.node, image);
  }
  if (!link.translation.empty()) {
    child.node = Strip(child.node, link.translation);
    ++edit.counters().relifts;
  }
  // Until PutChild names the child again, the edge names nothing.
  link.target = kNoNode;
  link.translation.clear();
  return child;
}

void PutChild(Edit& edit, Node& parent, size_t index, OwnChild child) {
  parent.edges[index].link.target = Store(edit, std::move(child));
}

bool ChildShared(const Edit& edit, const Edge& edge) { return !edge.link.Null() && edit.Shared(edge.link.target); }

absl::StatusOr<OwnChild> TakeRoot(Edit& edit, NodeId id) { return Own(edit, id); }

NodeId PutRoot(Edit& edit, OwnChild root) { return Store(edit, std::move(root)); }

}  // namespace betr::dag
