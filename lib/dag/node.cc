// SPDX-License-Identifier: Apache-2.0
#include "dag/node.h"

#include <algorithm>

#include "base/check.h"

namespace betr::dag {
namespace {

Bytes MemoryOf(const Link& link) {
  return {sizeof(Link) + link.range.lo.bytes.capacity() + link.range.hi.bytes.capacity() + link.translation.capacity()};
}

Bytes MemoryOf(const BlockView& view) {
  constexpr uint64_t kSlot = 192;  // bytes of a slot with its control block and cache entry, about
  return {sizeof(BlockView) + kSlot + view.affix.strip.capacity() + view.affix.prepend.capacity() +
          view.clip.lo.bytes.capacity() + view.clip.hi.bytes.capacity()};
}

}  // namespace

size_t Node::LiveEdges() const {
  return static_cast<size_t>(std::count_if(edges.begin(), edges.end(), [](const Edge& edge) { return !edge.Idle(); }));
}

Bytes Node::Size() const {
  Bytes size{};
  for (const Edge& edge : edges) size += edge.partition.Size();
  for (const BlockView& basement : basements) size += basement.Size();
  return size;
}

uint64_t Node::Entries() const {
  uint64_t entries = 0;
  for (const BlockView& basement : basements) entries += basement.Count();
  return entries;
}

Bytes Node::MemoryBytes() const {
  Bytes size{sizeof(Node)};
  for (const Edge& edge : edges) {
    size += Bytes{sizeof(Edge)} + MemoryOf(edge.link);
    for (const BlockView& run : edge.partition.runs) size += MemoryOf(run);
    for (const Goto& message : edge.partition.gotos) size += MemoryOf(message.link);
  }
  for (const BlockView& basement : basements) size += MemoryOf(basement);
  return size;
}

size_t Node::EdgeAfter(const Bound& bound) const {
  const auto found =
      std::partition_point(edges.begin(), edges.end(), [&](const Edge& edge) { return edge.link.range.hi <= bound; });
  Check(found != edges.end() && found->link.range.lo <= bound, "the edges tile the node's space");
  return static_cast<size_t>(found - edges.begin());
}

size_t Node::EdgeBefore(const Bound& bound) const {
  const auto found =
      std::partition_point(edges.begin(), edges.end(), [&](const Edge& edge) { return edge.link.range.hi < bound; });
  Check(found != edges.end() && found->link.range.lo < bound, "the edges tile the node's space");
  return static_cast<size_t>(found - edges.begin());
}

size_t Node::EdgeOf(std::string_view key) const {
  const auto found = std::partition_point(edges.begin(), edges.end(),
                                          [&](const Edge& edge) { return edge.link.range.hi.Before(key); });
  Check(found != edges.end() && found->link.range.lo.Before(key), "the edges tile the node's space");
  return static_cast<size_t>(found - edges.begin());
}

size_t Node::BasementOf(std::string_view key) const {
  const auto found = std::partition_point(basements.begin(), basements.end(),
                                          [&](const BlockView& view) { return view.clip.hi.Before(key); });
  return static_cast<size_t>(found - basements.begin());
}

Node EmptyNode(Height height, Range bounds, Codec codec) {
  Node node{height, std::move(bounds), codec, {}, {}};
  if (height > 0) node.edges.push_back({Link{node.bounds, kNoNode, {}}, {}});
  return node;
}

Node Replace(const Node& node, std::string_view from, std::string_view to) {
  Node replaced{node.height, node.bounds.Strip(from.size()).Prepend(to), node.codec, {}, {}};
  replaced.edges.reserve(node.edges.size());
  for (const Edge& edge : node.edges) {
    replaced.edges.push_back({edge.link.Replace(from, to), edge.partition.Replace(from, to)});
  }
  replaced.basements.reserve(node.basements.size());
  for (const BlockView& basement : node.basements) replaced.basements.push_back(basement.Replace(from, to));
  return replaced;
}

}  // namespace betr::dag
