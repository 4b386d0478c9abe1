// SPDX-License-Identifier: Apache-2.0
#include "dag/live.h"

#include <vector>

#include "base/status.h"
#include "dag/storable.h"

namespace betr::dag {
namespace {

// Searches for anything that a range holds.
class Search {
 public:
  Search(const NodeTable& table, Reach reach) : table_(table), reach_(reach) {}

  // Whether `range` of the node is known to hold nothing.
  bool Nothing(NodeId id, const Range& range) {
    const NodeRecord* record = table_.Find(id);
    const NodePtr node = record == nullptr || nodes_left_ == 0 ? nullptr : Look(*record->slot);
    if (node == nullptr) return false;
    --nodes_left_;
    for (const BlockView& basement : node->basements) {
      // A basement that the range covers counts as holding something. It may be empty if it has been cut, but reading
      // it is not worth it.
      if (range.Covers(basement.clip) || !Nothing(basement.Cut(range))) return false;
    }
    for (const Edge& edge : node->edges) {
      if (edge.link.range.Overlaps(range) && !Nothing(edge, edge.link.range.Intersect(range))) return false;
    }
    return true;
  }

  bool Nothing(const Edge& edge, const Range& range) {
    for (const BlockView& run : edge.partition.runs) {
      if (!Nothing(run.Cut(range))) return false;
    }
    const std::vector<Goto>& gotos = edge.partition.gotos;
    Bound from = range.lo;
    for (size_t i = FirstGotoAfter(gotos, range.lo); i < gotos.size() && gotos[i].link.range.lo < range.hi; ++i) {
      if (!gotos[i].Erases() || !Nothing(edge.link, {from, gotos[i].link.range.lo})) return false;
      from = gotos[i].link.range.hi;
    }
    return Nothing(edge.link, {from, range.hi});
  }

 private:
  bool Nothing(const Link& link, const Range& part) {
    if (link.Null() || part.Empty()) return true;
    const Range image = link.Cut(part).Image();
    // Gives up on long prefixes: they get longer with each level, and following them is not worth it.
    return Bytes{image.lo.bytes.size()} <= kMaxMergedBound && Nothing(link.target, image);
  }

  bool Nothing(const BlockView& view) const {
    if (view.clip.Empty()) return true;
    const std::shared_ptr<const Block> block = Look(*view.slot);
    return block != nullptr && ViewReader(block, view).Count() == 0;
  }

  // Returns what is in the slot. Null if it is not in memory and may not be read, or cannot be. Whoever needs it gets
  // the error.
  template <class Slot>
  auto Look(const Slot& slot) const -> decltype(slot.Peek()) {
    auto found = slot.Peek();
    return found != nullptr || reach_ == Reach::kMemory ? found : slot.Get().value_or(nullptr);
  }

  const NodeTable& table_;
  const Reach reach_;
  int nodes_left_ = reach_ == Reach::kMemory ? 16 : 1024;
};

// Whether a part of `edge` lies outside of what is shown. What is shown of such an edge may be nothing.
bool Fringe(const Edge& edge, const Range& shown) { return !shown.Covers(edge.link.range); }

Shown ShownOf(const NodeTable& table, const Node& node, const Range& image) {
  Shown shown{true, 0, {}};
  for (const Edge& edge : node.edges) {
    if (edge.Idle() || !edge.link.range.Overlaps(image)) continue;
    if (!Fringe(edge, image)) {
      ++shown.edges;
      shown.bytes += edge.partition.Size();
    } else if (const Range part = edge.link.range.Intersect(image);
               !Search(table, Reach::kMemory).Nothing(edge, part)) {
      ++shown.edges;
      shown.bytes += edge.partition.Cut(part).Size();
    }
  }
  for (const BlockView& basement : node.basements) {
    // Few basements except those at the ends have been cut since they were packed.
    if (image.Covers(basement.clip) && &basement != &node.basements.front() && &basement != &node.basements.back()) {
      shown.bytes += basement.Size();
    } else if (const BlockView part = basement.Cut(image); !part.clip.Empty()) {
      shown.bytes += PackedSize(part);
    }
  }
  return shown;
}

absl::StatusOr<Bytes> BytesIn(const BlockView& view, const Range& range) {
  const BlockView cut = view.Cut(range);
  if (cut.clip.Empty()) return Bytes{0};
  if (cut.clip == view.clip) return view.Size();
  BETR_ASSIGN_OR_RETURN(const ViewReader reader, ViewReader::Open(cut));
  return reader.Size();
}

}  // namespace

absl::StatusOr<Shown> ShownBy(const NodeTable& table, const Link& link, Reach reach) {
  if (link.Null()) return Shown{true, 0, {}};
  const NodeRecord* record = table.Find(link.target);
  NodePtr child = record == nullptr ? nullptr : record->slot->Peek();
  if (child == nullptr) {
    if (reach == Reach::kMemory) return Shown{};
    BETR_ASSIGN_OR_RETURN(child, LoadNode(table, link.target));
  }
  return ShownOf(table, *child, link.Image());
}

bool ShowsNothing(const NodeTable& table, NodeId node, const Range& range, Reach reach) {
  return Search(table, reach).Nothing(node, range);
}

bool ShowsNothing(const NodeTable& table, const Edge& edge, Reach reach) {
  return Search(table, reach).Nothing(edge, edge.link.range);
}

Bytes VisibleSize(const BlockView& view) {
  const std::shared_ptr<const Block> block = view.slot->Peek();
  return block == nullptr ? view.Size() : ViewReader(block, view).Size();
}

size_t VisibleCount(const BlockView& view) {
  const std::shared_ptr<const Block> block = view.slot->Peek();
  return block == nullptr ? view.Count() : ViewReader(block, view).Count();
}

Bytes PackedSize(const BlockView& basement) {
  const Bytes visible = VisibleSize(basement);
  return 2 * visible.value < basement.Size().value ? visible : basement.Size();
}

absl::StatusOr<Bytes> BytesIn(const Node& node, const Range& range) {
  Bytes size{0};
  for (const BlockView& basement : node.basements) {
    BETR_ASSIGN_OR_RETURN(const Bytes bytes, BytesIn(basement, range));
    size += bytes;
  }
  for (const Edge& edge : node.edges) {
    for (const BlockView& run : edge.partition.runs) {
      BETR_ASSIGN_OR_RETURN(const Bytes bytes, BytesIn(run, range));
      size += bytes;
    }
  }
  return size;
}

uint64_t EntriesIn(const Node& leaf, const Range& range) {
  uint64_t entries = 0;
  for (const BlockView& basement : leaf.basements) {
    const BlockView part = basement.Cut(range);
    entries += part.clip.Empty() ? 0 : VisibleCount(part);
  }
  return entries;
}

std::optional<uint64_t> EntriesShown(const NodeTable& table, const Link& link) {
  const NodeRecord* record = table.Find(link.target);
  if (record == nullptr) {
    return std::nullopt;  // whoever goes there gets the error
  }
  const NodePtr leaf = record->height == 0 ? record->slot->Peek() : nullptr;
  if (leaf != nullptr) return EntriesIn(*leaf, link.Image());
  return record->entries.Known() ? std::optional(record->entries.Value()) : std::nullopt;
}

}  // namespace betr::dag
