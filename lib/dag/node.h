// SPDX-License-Identifier: Apache-2.0
// A node is a value: a published node is never changed. It owns no content but shares immutable blocks with the
// versions it came from, so copying one costs a few pointers.
//
// Invariants (check.h tests them all)
//   1. `bounds` is the node's own local space: what it holds lies inside. It may be wider than what an edge shows.
//   2. Interior (height > 0): the edges tile `bounds` without gaps or overlaps; a child has height - 1.
//   3. A buffered goto's target is lower than height - 1: one of height - 1 is an edge (arrive.h).
//   4. A goto lies inside one edge's range: it is buffered in that edge's partition.
//   5. Leaf (height 0): the basements' clips ascend, do not overlap and lie inside `bounds`; between them there is
//      nothing. Every entry is a put.
//
// The same keys, bounds and messages seen through an edge belong to the edge's child, not to the edge.
#pragma once

#include <memory>
#include <vector>

#include "base/compression.h"
#include "dag/entry_count.h"
#include "dag/link.h"
#include "dag/partition.h"
#include "dag/view.h"

namespace betr::dag {

struct Edge {
  Link link;
  Partition partition;

  // Whether it leads nowhere and buffers nothing.
  bool Idle() const { return link.Null() && partition.Empty(); }
  friend bool operator==(const Edge&, const Edge&) = default;
};

struct Node {
  Height height = 0;
  Range bounds;
  Codec codec;                       // how this node's blocks are compressed on disk
  std::vector<Edge> edges;           // of an interior node
  std::vector<BlockView> basements;  // of a leaf
  // At most so many entries it has, if it is a leaf; else about so many the leaves below it had when it was made, each
  // counted once (table.h).
  EntryCount known_entries = {};

  // Whether both are the same, with the same slots: cheap, and false for equal content in different blocks.
  friend bool operator==(const Node&, const Node&) = default;

  bool Leaf() const { return height == 0; }
  // Whether it holds nothing at all: no basement, or idle edges only.
  bool Empty() const { return basements.empty() && LiveEdges() == 0; }
  // How many edges are not idle: what is compared with the fanout.
  size_t LiveEdges() const;
  // Bytes of messages buffered (interior) or of entries (leaf): what is compared with the node size.
  Bytes Size() const;
  // Entries of a leaf, at most: a basement that is cut counts as a whole.
  uint64_t Entries() const;
  // The memory of this value itself, without its blocks.
  Bytes MemoryBytes() const;
  // The index of the edge whose range holds the position just after `bound`, or just before it.
  // Requires: interior; the position lies inside `bounds`. O(log edges).
  size_t EdgeAfter(const Bound& bound) const;
  size_t EdgeBefore(const Bound& bound) const;
  size_t EdgeOf(std::string_view key) const;
  // The same for the basements of a leaf. basements.size() if there is none.
  size_t BasementOf(std::string_view key) const;
};

using NodePtr = std::shared_ptr<const Node>;

// An interior node with one null edge over all of `bounds`, or a leaf without basements.
Node EmptyNode(Height height, Range bounds, Codec codec);

// The node after the prefix `from` of its local space, which every position of bounds has, became `to`. Nothing below
// notices: what the node gains its edges lose (Zhan 2019, section 4.3).
Node Replace(const Node& node, std::string_view from, std::string_view to);
inline Node Strip(const Node& node, std::string_view prefix) { return Replace(node, prefix, ""); }
inline Node Prepend(const Node& node, std::string_view prefix) { return Replace(node, "", prefix); }

}  // namespace betr::dag
