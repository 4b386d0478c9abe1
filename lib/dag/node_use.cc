// SPDX-License-Identifier: Apache-2.0
#include "dag/node_use.h"

#include <map>
#include <memory>

#include "base/status.h"

namespace betr::dag {
namespace {

// What all views together show of a block, in the block's own space.
struct BlockUse {
  RangeSet shown;
  RangeSet inside;
  RangeSet outside;
};

class Uses {
 public:
  Uses(const RangeSet& inside, const RangeSet& outside) : inside_(inside), outside_(outside) {}

  void Add(const BlockView& view) {
    BlockUse& use = blocks_[view.slot.get()];
    const auto add = [&view](const Range& range, RangeSet& to) {
      if (const Range part = view.clip.Intersect(range); !part.Empty()) {
        to.Add({view.affix.Store(part.lo), view.affix.Store(part.hi)});
      }
    };
    add(view.clip, use.shown);
    inside_.ForEach([&](const Range& range) { add(range, use.inside); });
    outside_.ForEach([&](const Range& range) { add(range, use.outside); });
  }

  absl::StatusOr<NodeUse> Sum() const {
    NodeUse sum;
    for (const auto& [slot, use] : blocks_) {
      sum.all += slot->Size();
      BETR_RETURN_IF_ERROR(AddTo(sum, *slot, use));
    }
    return sum;
  }

 private:
  static absl::Status AddTo(NodeUse& sum, const BlockSlot& slot, const BlockUse& use) {
    if (use.inside.Empty()) return absl::OkStatus();
    if (use.inside == use.shown && (use.outside.Empty() || use.outside == use.shown)) {
      sum.inside += slot.Size();
      sum.common += use.outside.Empty() ? Bytes{0} : slot.Size();
      return absl::OkStatus();
    }
    BETR_ASSIGN_OR_RETURN(const std::shared_ptr<const Block> block, slot.Get());
    const auto count = [&block](const RangeSet& ranges) {
      uint64_t entries = 0;
      ranges.ForEach([&](const Range& range) { entries += block->LowerBound(range.hi) - block->LowerBound(range.lo); });
      return entries;
    };
    if (const uint64_t shown = count(use.shown); shown > 0) {
      sum.inside.value += slot.Size().value * count(use.inside) / shown;
      sum.common.value += slot.Size().value * count(use.inside.Intersect(use.outside)) / shown;
    }
    return absl::OkStatus();
  }

  const RangeSet& inside_;
  const RangeSet& outside_;
  std::map<const BlockSlot*, BlockUse> blocks_;
};

}  // namespace

absl::StatusOr<NodeUse> UseOf(const Node& node, const RangeSet& inside, const RangeSet& outside) {
  Uses uses(inside, outside);
  for (const BlockView& basement : node.basements) uses.Add(basement);
  for (const Edge& edge : node.edges) {
    for (const BlockView& run : edge.partition.runs) uses.Add(run);
  }
  return uses.Sum();
}

}  // namespace betr::dag
