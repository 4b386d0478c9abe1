// SPDX-License-Identifier: Apache-2.0
#include "store/salvage_paths.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace betr::store {
namespace {

constexpr size_t kMaxFurther = 16;  // partial ranges of a tree; then they are joined

}  // namespace

SalvagePaths::SalvagePaths(SalvageNodes& nodes, const SalvageWalk& walk, const SalvageLimits& limits,
                           std::vector<LostRange>* lost)
    : nodes_(nodes), walk_(walk), limits_(limits), lost_(*lost) {
  std::vector<NodeId> spreading;
  for (const auto& [id, cuts] : walk_.cuts()) {
    spreading.push_back(id);
  }
  while (!spreading.empty()) {
    const NodeId id = spreading.back();
    spreading.pop_back();
    if (tainted_.insert(id).second) {
      spreading.insert(spreading.end(), walk_.NamedBy(id).begin(), walk_.NamedBy(id).end());
    }
  }
}

void SalvagePaths::AddTree(const std::string& name, NodeId root, size_t trees) {
  tree_ = name;
  way_.clear();
  further_.clear();
  const uint64_t ways = ways_;
  const size_t ranges = ranges_;
  ways_end_ = ways_ + (limits_.ways - std::min(limits_.ways, ways_)) / trees;
  ranges_end_ = ranges_ + (limits_.ranges - std::min(limits_.ranges, ranges_)) / trees;
  if (IsSpent()) {
    AddFurther(Range::All());
  } else {
    Enter(root, Range::All());
  }
  const std::string why = ranges_ >= ranges_end_ ? fmt::format("stopped after {} ranges", ranges_ - ranges)
                                                 : fmt::format("stopped after {} ways through clones", ways_ - ways);
  for (Range& range : further_) {
    lost_.push_back({tree_, std::move(range), false, why, true});
  }
}

void SalvagePaths::Enter(NodeId id, const Range& shown) {
  const absl::StatusOr<dag::NodePtr> node = nodes_.Load(id);
  if (!node.ok()) {
    return;  // the device fails: nothing will be written
  }
  ++ways_;
  if (const auto cuts = walk_.cuts().find(id); cuts != walk_.cuts().end()) {
    for (const Cut& cut : cuts->second) {
      Add(cut, shown);
    }
  }
  for (const dag::Edge& edge : (*node)->edges) {
    Range left = edge.link.range;  // what no goto has covered so far
    for (const dag::Goto& message : edge.partition.gotos) {
      Follow(edge.link, Range{left.lo, message.link.range.lo}.Intersect(shown));
      Follow(message.link, message.link.range.Intersect(shown));
      left.lo = message.link.range.hi;
    }
    Follow(edge.link, left.Intersect(shown));
  }
}

void SalvagePaths::Follow(const dag::Link& link, const Range& shown) {
  if (shown.Empty() || link.Null() || !tainted_.contains(link.target)) {
    return;
  }
  if (IsSpent()) {
    AddFurther(shown);
    return;
  }
  way_.push_back(link.Cut(shown));
  Enter(link.target, Range{way_.back().Image()});
  way_.pop_back();
}

void SalvagePaths::Add(const Cut& cut, const Range& shown) {
  Range range = cut.range.Intersect(shown);
  if (range.Empty()) {
    return;
  }
  if (ranges_ >= ranges_end_) {
    AddFurther(range);
    return;
  }
  ++ranges_;
  lost_.push_back({tree_, InTree(std::move(range)), cut.changes_only, cut.why, cut.is_doubt});
}

void SalvagePaths::AddFurther(const Range& shown) {
  Range range = InTree(shown);
  if (further_.size() < kMaxFurther) {
    further_.push_back(std::move(range));
    return;
  }
  further_.back().lo = std::min(further_.back().lo, range.lo);
  further_.back().hi = std::max(further_.back().hi, range.hi);
}

Range SalvagePaths::InTree(Range range) const {
  for (auto link = way_.rbegin(); link != way_.rend(); ++link) {
    range = {link->Unmap(range.lo), link->Unmap(range.hi)};
  }
  return range;
}

}  // namespace betr::store
