// SPDX-License-Identifier: Apache-2.0
#include "store/offline/salvage_paths.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace betr::store {
namespace {

constexpr size_t kMaxFurther = 16;  // partial ranges of a tree; any more are joined to the last

bool IsTerminal(const dag::ViewReader& reader) {
  for (size_t i = 0; i < reader.GroupSize(); ++i) {
    if (reader.At(i).Terminal()) return true;
  }
  return false;
}

// Maps a range of a link's target back to the space that the link leads from.
Range Unmap(const dag::Link& link, const Range& range) { return {link.Unmap(range.lo), link.Unmap(range.hi)}; }

}  // namespace

SalvagePaths::SalvagePaths(SalvageNodes& nodes, const SalvageWalk& walk, const SalvageLimits& limits,
                           std::vector<LostRange>* lost)
    : nodes_(nodes), walk_(walk), limits_(limits), lost_(*lost) {
  std::vector<NodeId> spreading;
  for (const auto& [id, cuts] : walk_.cuts()) spreading.push_back(id);
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
  for (Range& range : further_) lost_.push_back({tree_, std::move(range), false, why, true});
}

void SalvagePaths::Enter(NodeId id, const Range& shown) {
  const absl::StatusOr<dag::NodePtr> node = nodes_.Load(id);
  if (!node.ok()) {
    return;  // the device fails, so nothing will be written
  }
  ++ways_;
  if (const auto cuts = walk_.cuts().find(id); cuts != walk_.cuts().end()) {
    for (const Cut& cut : cuts->second) Add(**node, cut, shown);
  }
  for (const dag::Edge& edge : (*node)->edges) {
    Range left = edge.link.range;  // the part that no goto has covered so far
    for (const dag::Goto& message : edge.partition.gotos) {
      Follow(edge.link, edge.partition, 0, Range{left.lo, message.link.range.lo}.Intersect(shown));
      Follow(message.link, edge.partition, message.over, message.link.range.Intersect(shown));
      left.lo = message.link.range.hi;
    }
    Follow(edge.link, edge.partition, 0, left.Intersect(shown));
  }
}

void SalvagePaths::Follow(const dag::Link& link, const dag::Partition& partition, size_t over, const Range& shown) {
  if (shown.Empty() || link.Null() || !tainted_.contains(link.target)) return;
  if (IsSpent()) {
    AddFurther(shown);
    return;
  }
  way_.push_back({link.Cut(shown), &partition, over});
  Enter(link.target, Range{way_.back().link.Image()});
  way_.pop_back();
}

void SalvagePaths::Add(const dag::Node& node, const Cut& cut, const Range& shown) {
  Range range = cut.range.Intersect(shown);
  if (range.Empty()) return;
  if (ranges_ >= ranges_end_) {
    AddFurther(range);
    return;
  }
  LostKeys keys;
  keys.Set({tree_, range, cut.changes_only, cut.why, cut.is_doubt});
  if (!node.Leaf() && !cut.is_doubt) RemoveWritten(node.edges[node.EdgeAfter(range.lo)].partition, cut.over, &keys);
  for (auto step = way_.rbegin(); step != way_.rend(); ++step) {
    LostKeys above;
    for (LostRange& piece : keys.In(Range::All())) {
      piece.range = Unmap(step->link, piece.range);
      above.Set(std::move(piece));
    }
    keys = std::move(above);
    RemoveWritten(*step->partition, step->over, &keys);
  }
  for (LostRange& piece : keys.In(Range::All())) lost_.push_back(std::move(piece));
  ranges_ += keys.size();
}

void SalvagePaths::RemoveWritten(const dag::Partition& partition, size_t over, LostKeys* keys) const {
  const std::vector<LostRange> pieces = keys->In(Range::All());
  if (pieces.empty()) return;
  const size_t limit = (ranges_end_ - ranges_) / 2;  // so that gaps leave some ranges for what is lost elsewhere
  const Range all{pieces.front().range.lo, pieces.back().range.hi};
  for (size_t i = over; i < partition.runs.size(); ++i) {
    absl::StatusOr<dag::ViewReader> run = dag::ViewReader::Open(partition.runs[i]);
    if (!run.ok()) {
      continue;  // the device fails, so nothing will be written
    }
    for (run->SeekForward(all.lo); run->Valid() && !all.hi.Before(run->Key()); run->Next()) {
      if (IsTerminal(*run)) keys->Written(run->Key(), keys->size() < limit);
    }
  }
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
  for (auto step = way_.rbegin(); step != way_.rend(); ++step) range = Unmap(step->link, range);
  return range;
}

}  // namespace betr::store
