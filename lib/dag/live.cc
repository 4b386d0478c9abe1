// SPDX-License-Identifier: Apache-2.0
#include "dag/live.h"

#include "base/status.h"
#include "dag/pack.h"

namespace betr::dag {
namespace {

// Searches for anything that a range holds.
class Search {
 public:
  explicit Search(const NodeTable& table) : table_(table) {}

  // Whether `range` of the node is known to hold nothing.
  bool Nothing(NodeId id, const Range& range) {
    const NodeRecord* record = table_.Find(id);
    const NodePtr node = record == nullptr || nodes_left_ == 0 ? nullptr : record->slot->Peek();
    if (node == nullptr) {
      return false;
    }
    --nodes_left_;
    for (const BlockView& basement : node->basements) {
      if (!Nothing(basement.Cut(range))) {
        return false;
      }
    }
    for (const Edge& edge : node->edges) {
      if (edge.link.range.Overlaps(range) && !Nothing(edge, edge.link.range.Intersect(range))) {
        return false;
      }
    }
    return true;
  }

  bool Nothing(const Edge& edge, const Range& range) {
    const Partition pending = edge.partition.Cut(range);
    for (const BlockView& run : pending.runs) {
      if (!Nothing(run)) {
        return false;
      }
    }
    Bound from = range.lo;
    for (const Goto& message : pending.gotos) {
      if (!message.Erases() || !Nothing(edge.link, {from, message.link.range.lo})) {
        return false;
      }
      from = message.link.range.hi;
    }
    return Nothing(edge.link, {from, range.hi});
  }

 private:
  bool Nothing(const Link& link, const Range& part) {
    return link.Null() || part.Empty() || Nothing(link.target, link.Cut(part).Image());
  }

  static bool Nothing(const BlockView& view) {
    return view.clip.Empty() || (view.slot->Peek() != nullptr && VisibleCount(view) == 0);
  }

  const NodeTable& table_;
  int nodes_left_ = 16;
};

// Whether a part of `edge` is outside of what is shown; such an edge may lead nowhere.
bool Fringe(const Edge& edge, const Range& shown) { return !shown.Covers(edge.link.range); }

Shown ShownOf(const NodeTable& table, const Node& node, const Range& image) {
  Shown shown{true, 0, {}, 0};
  for (const Edge& edge : node.edges) {
    if (edge.Idle() || !edge.link.range.Overlaps(image)) {
      continue;
    }
    if (!Fringe(edge, image)) {
      ++shown.edges;
      shown.bytes += edge.partition.Size();
    } else if (const Range part = edge.link.range.Intersect(image); !Search(table).Nothing(edge, part)) {
      ++shown.edges;
      shown.bytes += edge.partition.Cut(part).Size();
    }
  }
  for (const BlockView& basement : node.basements) {
    // Only those at the ends have been cut since they were packed.
    if (image.Covers(basement.clip) && &basement != &node.basements.front() && &basement != &node.basements.back()) {
      shown.bytes += basement.Size();
      shown.entries += basement.Count();
    } else if (const BlockView part = basement.Cut(image); !part.clip.Empty()) {
      shown.bytes += PackedSize(part);
      shown.entries += VisibleCount(part);
    }
  }
  return shown;
}

}  // namespace

absl::StatusOr<Shown> ShownBy(const NodeTable& table, const Link& link, Reach reach) {
  if (link.Null()) {
    return Shown{true, 0, {}, 0};
  }
  const NodeRecord* record = table.Find(link.target);
  NodePtr child = record == nullptr ? nullptr : record->slot->Peek();
  if (child == nullptr) {
    if (reach == Reach::kMemory) {
      return Shown{};
    }
    BETR_ASSIGN_OR_RETURN(child, LoadNode(table, link.target));
  }
  return ShownOf(table, *child, link.Image());
}

bool ShowsNothing(const NodeTable& table, NodeId node, const Range& range) {
  return Search(table).Nothing(node, range);
}

bool ShowsNothing(const NodeTable& table, const Edge& edge) { return Search(table).Nothing(edge, edge.link.range); }

Bytes VisibleSize(const BlockView& view) {
  const std::shared_ptr<const Block> block = view.slot->Peek();
  return block == nullptr ? view.Size() : ViewReader(block, view).Size();
}

size_t VisibleCount(const BlockView& view) {
  const std::shared_ptr<const Block> block = view.slot->Peek();
  return block == nullptr ? view.Count() : ViewReader(block, view).Count();
}

}  // namespace betr::dag
