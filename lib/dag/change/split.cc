// SPDX-License-Identifier: Apache-2.0
#include "dag/change/split.h"

#include <absl/strings/str_cat.h>

#include <iterator>
#include <utility>

#include "base/check.h"
#include "base/status.h"

namespace betr::dag {
namespace {

std::vector<SplitPlace> PlacesOf(const Node& node, uint64_t& total) {
  std::vector<SplitPlace> places;
  total = 0;
  for (size_t i = 0; i < node.edges.size(); ++i) {
    if (i > 0) places.push_back({i, &node.edges[i].link.range.lo, total});
    total += node.edges[i].Idle() ? 0 : 1;
  }
  for (size_t i = 0; i < node.basements.size(); ++i) {
    if (i > 0) places.push_back({i, &node.basements[i].clip.lo, total});
    total += node.basements[i].Size().value;
  }
  return places;
}

// Takes the items from index `from` on out of `items`.
template <class Item>
std::vector<Item> TakeTail(std::vector<Item>& items, size_t from) {
  const auto begin = items.begin() + static_cast<ptrdiff_t>(from);
  std::vector<Item> tail(std::make_move_iterator(begin), std::make_move_iterator(items.end()));
  items.erase(begin, items.end());
  return tail;
}

// Whether the edges or basements of a node are in order. If not, the items of a piece need not begin with the prefix
// that the piece's bounds share.
bool InOrder(const Node& node) {
  for (size_t i = 1; i < node.edges.size(); ++i) {
    if (node.edges[i].link.range.lo < node.edges[i - 1].link.range.hi) return false;
  }
  for (size_t i = 1; i < node.basements.size(); ++i) {
    if (node.basements[i].clip.lo < node.basements[i - 1].clip.hi) return false;
  }
  return true;
}

void SplitInto(const Edit& edit, Node node, std::vector<Node>& pieces) {
  if (!TooLarge(node, edit.shape())) {
    pieces.push_back(std::move(node));
    return;
  }
  uint64_t total = 0;
  const std::vector<SplitPlace> places = PlacesOf(node, total);
  const SplitPlace& at = edit.policy().split(places, total);
  const Bound bound = *at.bound;
  Node right{node.height, {bound, node.bounds.hi}, node.codec, {}, {}};
  node.bounds.hi = bound;
  if (node.Leaf()) {
    right.basements = TakeTail(node.basements, at.item);
  } else {
    right.edges = TakeTail(node.edges, at.item);
  }
  SplitInto(edit, std::move(node), pieces);
  SplitInto(edit, std::move(right), pieces);
}

}  // namespace

bool TooLarge(const Node& node, const Shape& shape) {
  return node.Leaf() ? node.basements.size() > 1 && node.Size() > shape.node_size : node.LiveEdges() > shape.fanout;
}

absl::StatusOr<size_t> PutSplitChild(Edit& edit, Node& parent, size_t index, OwnChild child) {
  if (child.node.Empty()) {
    if (child.id != kNoNode) edit.Discard(child.id);
    return 1;  // taking the child has left the edge null
  }
  if (!TooLarge(child.node, edit.shape())) {
    PutChild(edit, parent, index, std::move(child));
    return 1;
  }
  if (!InOrder(child.node)) {
    return absl::DataLossError(absl::StrCat("a node of height ", child.node.height, " holds things out of order"));
  }
  std::vector<Node> pieces;
  SplitInto(edit, std::move(child.node), pieces);
  const Edge whole = std::move(parent.edges[index]);
  const std::string lifted(whole.link.range.Lcp());
  std::vector<Edge> edges;
  for (const Node& piece : pieces) {
    const Range range = piece.bounds.Prepend(lifted);
    Edge edge{Link{range, kNoNode, {}}, whole.partition.Cut(range)};
    edit.RetainTargets(edge.partition);
    OwnChild part{edges.empty() ? child.id : kNoNode, Strip(piece, range.Lcp().substr(lifted.size()))};
    edge.link.target = PutNode(edit, std::move(part));
    edges.push_back(std::move(edge));
    ++edit.counters().splits;
  }
  edit.ReleaseTargets(whole.partition);
  const size_t count = edges.size();
  const auto at = parent.edges.erase(parent.edges.begin() + static_cast<ptrdiff_t>(index));
  parent.edges.insert(at, std::make_move_iterator(edges.begin()), std::make_move_iterator(edges.end()));
  BETR_RETURN_IF_ERROR(edit.status());
  return count;
}

absl::StatusOr<NodeId> GrowRoot(Edit& edit, NodeId root) {
  BETR_ASSIGN_OR_RETURN(const NodePtr old, edit.Load(root));
  if (old->height >= kMaxHeight) {
    return absl::ResourceExhaustedError(absl::StrCat("a tree of ", old->height, " levels: background work is needed"));
  }
  Node taller = EmptyNode(static_cast<Height>(old->height + 1), Range::All(), old->codec);
  taller.edges[0].link.target = root;
  return edit.Create(std::move(taller));
}

absl::StatusOr<NodeId> PutSplitRoot(Edit& edit, OwnChild root) {
  while (TooLarge(root.node, edit.shape()) && root.node.height < kMaxHeight) {
    OwnChild taller{kNoNode, EmptyNode(static_cast<Height>(root.node.height + 1), root.node.bounds, root.node.codec)};
    BETR_RETURN_IF_ERROR(PutSplitChild(edit, taller.node, 0, std::move(root)).status());
    root = std::move(taller);
  }
  return PutNode(edit, std::move(root));
}

}  // namespace betr::dag
