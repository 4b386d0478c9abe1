// SPDX-License-Identifier: Apache-2.0
#include "dag/alike.h"

#include <algorithm>
#include <string_view>

namespace betr::dag {
namespace {

// Returns how many of the oldest runs are older than every goto. These may be moved while the gotos stay.
size_t RunsBelowGotos(const Partition& partition) {
  size_t runs = partition.runs.size();
  for (const Goto& message : partition.gotos) runs = std::min<size_t>(runs, message.over);
  return runs;
}

}  // namespace

size_t RunsAlike(const Edge& a, const Edge& b) {
  if (a.link.Null() || a.link.target != b.link.target || a.link.translation != b.link.translation) return 0;
  const std::string_view lifted_a = a.link.range.Lcp();
  const std::string_view lifted_b = b.link.range.Lcp();
  if (a.link.range.Strip(lifted_a.size()) != b.link.range.Strip(lifted_b.size())) return 0;
  const size_t most = std::min(RunsBelowGotos(a.partition), RunsBelowGotos(b.partition));
  const auto alike = [&](size_t i) {
    const BlockView& here = a.partition.runs[i];
    const BlockView& there = b.partition.runs[i];
    return here.slot == there.slot && here.Strip(lifted_a) == there.Strip(lifted_b);
  };
  size_t runs = 0;
  while (runs < most && alike(runs)) ++runs;
  return runs;
}

std::vector<size_t> EdgesAlike(const Node& node, size_t index, size_t runs) {
  std::vector<size_t> alike;
  for (size_t i = 0; i < node.edges.size(); ++i) {
    if (i == index || (runs > 0 && RunsAlike(node.edges[index], node.edges[i]) >= runs)) alike.push_back(i);
  }
  return alike;
}

BlockShares::BlockShares(const Node& node) {
  for (const Edge& edge : node.edges) {
    for (const BlockView& run : edge.partition.runs) ++views_[run.slot.get()];
  }
}

uint64_t BlockShares::Views(const BlockView& view) const {
  const auto found = views_.find(view.slot.get());
  return found == views_.end() ? 1 : found->second;
}

Bytes BlockShares::Of(const Partition& partition, size_t runs) const {
  Bytes share{0};
  for (size_t i = 0; i < std::min(runs, partition.runs.size()); ++i) {
    const uint64_t views = Views(partition.runs[i]);
    share.value += (partition.runs[i].Size().value + views - 1) / views;
  }
  for (size_t i = 0; i < partition.gotos.size() && runs >= partition.runs.size(); ++i) {
    share += GotoSize(partition.gotos[i]);
  }
  return share;
}

}  // namespace betr::dag
