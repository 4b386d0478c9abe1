// SPDX-License-Identifier: Apache-2.0
#include "store/salvage_paths.h"

#include <utility>

namespace betr::store {
namespace {

constexpr uint64_t kMaxSteps = 1'000'000;

}  // namespace

SalvagePaths::SalvagePaths(SalvageNodes& nodes, const SalvageWalk& walk, Salvaged* result)
    : nodes_(nodes), walk_(walk), result_(*result) {
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

void SalvagePaths::AddTree(const std::string& name, NodeId root) {
  tree_ = name;
  way_.clear();
  if (tainted_.contains(root)) {
    Enter(root, Range::All());
  }
}

void SalvagePaths::Enter(NodeId id, const Range& shown) {
  const absl::StatusOr<dag::NodePtr> node = nodes_.Load(id);
  if (!node.ok() || ++steps_ > kMaxSteps) {
    return;
  }
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
  way_.push_back(link.Cut(shown));
  Enter(link.target, Range{way_.back().Image()});
  way_.pop_back();
}

void SalvagePaths::Add(const Cut& cut, const Range& shown) {
  Range range = cut.range.Intersect(shown);
  if (range.Empty()) {
    return;
  }
  if (result_.lost.size() >= kMaxLostRanges) {
    ++result_.more_lost;
    return;
  }
  for (auto link = way_.rbegin(); link != way_.rend(); ++link) {
    range = {link->Unmap(range.lo), link->Unmap(range.hi)};
  }
  result_.lost.push_back({tree_, std::move(range), cut.changes_only, cut.why});
}

}  // namespace betr::store
