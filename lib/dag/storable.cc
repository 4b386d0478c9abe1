// SPDX-License-Identifier: Apache-2.0
#include "dag/storable.h"

#include <algorithm>
#include <string_view>

namespace betr::dag {
namespace {

// Measures bounds, translations and affixes. A bound that is not stored, since it follows from others
// (layout/node_codec.h), may be the longest but does not count for the sum.
class Measure {
 public:
  void See(std::string_view text, bool stored = true) {
    const Bytes size{text.size()};
    sizes_.longest = std::max(sizes_.longest, size);
    sizes_.together += stored ? size : Bytes{0};
  }
  void See(const Range& range, const Range& holder) {
    See(range.lo.bytes, range.lo != holder.lo);
    See(range.hi.bytes, range.hi != holder.hi);
  }
  void See(const Link& link, const Range& holder) {
    See(link.range, holder);
    See(link.translation);
    ++sizes_.items;
  }
  void See(const BlockView& view, const Range& holder) {
    See(view.clip, holder);
    See(view.affix.strip);
    See(view.affix.prepend);
    ++sizes_.items;
  }
  const BoundSizes& sizes() const { return sizes_; }

 private:
  BoundSizes sizes_;
};

}  // namespace

BoundSizes BoundSizesOf(const Node& node, const Range& part) {
  Measure measure;
  measure.See(node.bounds.lo.bytes);
  measure.See(node.bounds.hi.bytes);
  Range left = node.bounds;
  for (const Edge& edge : node.edges) {
    if (edge.link.range.Overlaps(part)) {
      measure.See(edge.link, left);
      for (const BlockView& run : edge.partition.runs) measure.See(run, edge.link.range);
      Range behind = edge.link.range;
      for (const Goto& message : edge.partition.gotos) {
        measure.See(message.link, behind);
        behind.lo = message.link.range.hi;
      }
    }
    left.lo = edge.link.range.hi;
  }
  for (const BlockView& basement : node.basements) {
    if (basement.clip.Overlaps(part)) measure.See(basement, left);
    left.lo = basement.clip.hi;
  }
  return measure.sizes();
}

bool GetsTooLong(const Link& link, const Node& child) {
  const Bytes handed_on{link.translation.size()};
  if (handed_on == Bytes{0}) return false;
  const BoundSizes sizes = BoundSizesOf(child, link.Image());
  return sizes.longest + handed_on > kMaxBound || sizes.together + handed_on * sizes.items > kMaxBounds;
}

}  // namespace betr::dag
