// SPDX-License-Identifier: Apache-2.0
#include "dag/content_id.h"

#include <absl/strings/str_cat.h>

#include "base/status.h"
#include "dag/way.h"

namespace betr::dag {
namespace {

class Naming {
 public:
  Naming(const NodeTable& table, std::string_view prefix) : table_(table), prefix_(prefix) {}

  absl::StatusOr<ContentId> Run(NodeId at) {
    for (Height above = kAboveRoot;;) {
      const NodeRecord* const record = table_.Find(at);
      const Range range = Range::Prefix(prefix_);
      if (record != nullptr && record->height == 0) {
        Tile(at, range, Range::Prefix(""));
        return id_;
      }
      BETR_ASSIGN_OR_RETURN(const NodePtr node, LoadNode(table_, at));
      BETR_RETURN_IF_ERROR(CheckBelow(at, *node, above, range));
      above = node->height;
      BETR_ASSIGN_OR_RETURN(const WayStep step, FindWayStep(*node, range));
      switch (step.kind) {
        case WayStep::kNothing:
          return ContentId{{}, true};
        case WayStep::kPending:
        case WayStep::kStop:
          return Tiles(at, *node, range);
        case WayStep::kDown:
        case WayStep::kThroughGoto:
          prefix_ = step.LinkIn(*node).Map(prefix_);
          at = Follow(step.LinkIn(*node));
      }
    }
  }

 private:
  NodeId Follow(const Link& link) {
    const NodeRecord* const record = table_.Find(link.target);
    id_.shared = id_.shared || (record != nullptr && record->references > 1);
    return link.target;
  }

  // Adds a tile for each edge that holds a part of `range`, the range of `prefix_`. Where messages wait for that part,
  // the tile names the part of this node. That stands for the messages and for what lies below them.
  absl::StatusOr<ContentId> Tiles(NodeId id, const Node& node, const Range& range) {
    for (const Edge& edge : node.edges) {
      const Range part = edge.link.range.Intersect(range);
      if (part.Empty()) continue;
      BETR_ASSIGN_OR_RETURN(const bool points, HasPoints(edge.partition, 0, part));
      const Range shown = part.Strip(prefix_.size());
      if (points || !edge.partition.Cut(part).gotos.empty()) {
        Tile(id, part, shown);
      } else if (!edge.link.Null()) {
        Tile(Follow(edge.link), edge.link.Cut(part).Image(), shown);
      }
    }
    id_.shared = id_.shared || id_.id.empty();
    return id_;
  }

  // Adds a tile to the id: `part` of the content is `image` of the node.
  void Tile(NodeId node, const Range& image, const Range& part) {
    absl::StrAppend(&id_.id, node.value, ":");
    for (const Bound* bound : {&image.lo, &image.hi, &part.lo, &part.hi}) {
      absl::StrAppend(&id_.id, bound->past ? "p" : "a", bound->bytes.size(), ":", bound->bytes);
    }
  }

  const NodeTable& table_;
  std::string prefix_;
  ContentId id_;
};

}  // namespace

absl::StatusOr<ContentId> FindContentId(const NodeTable& table, NodeId root, std::string_view prefix) {
  return Naming(table, prefix).Run(root);
}

}  // namespace betr::dag
