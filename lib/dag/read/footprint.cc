// SPDX-License-Identifier: Apache-2.0
#include "dag/read/footprint.h"

#include <algorithm>
#include <functional>
#include <map>
#include <utility>

#include "base/status.h"
#include "dag/node_links.h"
#include "dag/node_use.h"

namespace betr::dag {
namespace {

// Visits each node once, after all nodes that name it.
class Walk {
 public:
  Walk(const NodeTable& table, StoredSize stored) : table_(table), stored_(stored) {}

  absl::StatusOr<Footprint> Run(const std::vector<TreePart>& parts) {
    for (const TreePart& part : parts) {
      Reached& root = Named(part.root, kAboveRoot);
      part.ranges.ForEach([&](const Range& range) { root.inside.Add(range); });
      part.ranges.GapsIn(Range::All()).ForEach([&](const Range& range) { root.outside.Add(range); });
    }
    while (!waiting_.empty()) {
      auto next = waiting_.extract(waiting_.begin());
      if (!next.mapped().inside.Empty()) BETR_RETURN_IF_ERROR(Visit(next.key().second, std::move(next.mapped())));
    }
    return Footprint{{static_cast<uint64_t>(shown_)}, {static_cast<uint64_t>(exclusive_)}};
  }

 private:
  // What is known so far of a node, in its space.
  struct Reached {
    uint64_t references = 0;
    Height above = kAboveRoot;  // of the lowest node that names it
    RangeSet inside;            // shown as a part of what is asked for
    RangeSet outside;           // shown otherwise
  };

  Reached& At(NodeId id) {
    const NodeRecord* record = table_.Find(id);
    return waiting_[{record == nullptr ? Height{0} : record->height, id}];
  }

  // Records that another reference to the node was met.
  Reached& Named(NodeId id, Height by) {
    Reached& reached = At(id);
    ++reached.references;
    reached.above = std::min(reached.above, by);
    return reached;
  }

  absl::Status Visit(NodeId id, Reached reached) {
    const NodeRecord* record = table_.Find(id);
    if (record != nullptr && reached.references < record->references) reached.outside.Add(Range::All());
    const double size = record == nullptr ? 0 : static_cast<double>(stored_(*record).value);
    if (record != nullptr && record->height == 0 && reached.outside.Empty()) {
      Add(size, size);  // what nobody sees of the leaf is freed with it, too
      return absl::OkStatus();
    }
    BETR_ASSIGN_OR_RETURN(const NodePtr node, LoadNode(table_, id));
    absl::Status sound;
    reached.inside.ForEach([&](const Range& range) { sound.Update(CheckBelow(id, *node, reached.above, range)); });
    BETR_RETURN_IF_ERROR(sound);
    if (!node->Leaf()) Descend(*node, reached);
    if (reached.outside.Empty()) {
      Add(size, size);
      return absl::OkStatus();
    }
    BETR_ASSIGN_OR_RETURN(const NodeUse use, UseOf(*node, reached.inside, reached.outside));
    if (use.all > Bytes{0}) {
      const double each = size / static_cast<double>(use.all.value);
      Add(each * static_cast<double>(use.inside.value),
          each * static_cast<double>(use.inside.value - use.common.value));
    }
    return absl::OkStatus();
  }

  void Descend(const Node& node, const Reached& reached) {
    ForEachLink(node, [&](const Link& link) { Named(link.target, node.height); });
    const auto pass_on = [&](const RangeSet& ranges, RangeSet Reached::*to) {
      ranges.ForEach([&](const Range& range) {
        ForEachShown(node, range, [&](const Link& link) { (At(link.target).*to).Add(link.Image()); });
      });
    };
    pass_on(reached.inside, &Reached::inside);
    pass_on(reached.outside, &Reached::outside);
  }

  void Add(double shown, double exclusive) {
    shown_ += shown;
    exclusive_ += exclusive;
  }

  const NodeTable& table_;
  const StoredSize stored_;
  std::map<std::pair<Height, NodeId>, Reached, std::greater<>> waiting_;  // the highest first
  double shown_ = 0;
  double exclusive_ = 0;
};

}  // namespace

absl::StatusOr<Footprint> FootprintOf(const NodeTable& table, const std::vector<TreePart>& parts, StoredSize stored) {
  return Walk(table, stored).Run(parts);
}

}  // namespace betr::dag
