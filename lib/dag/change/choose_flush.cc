// SPDX-License-Identifier: Apache-2.0
#include "dag/change/choose_flush.h"

#include <algorithm>
#include <functional>

#include "dag/alike.h"
#include "dag/change/child.h"
#include "dag/change/flush.h"

namespace betr::dag {
namespace {

class Chooser {
 public:
  Chooser(const Edit& edit, const Node& node, Sharing sharing)
      : edit_(edit), node_(node), sharing_(sharing), shares_(node) {}

  void Consider(size_t index) {
    const Edge& edge = node_.edges[index];
    const std::vector<size_t> others = RunsWithOthers(index);
    Consider(index, kAllRuns,
             edge.partition.gotos.empty() ? std::ranges::count(others, edge.partition.runs.size()) : 0);
    for (size_t i = 0; i < others.size(); ++i) {
      const bool is_last_of_so_many = i + 1 == others.size() || others[i + 1] < others[i];
      if (is_last_of_so_many && others[i] < edge.partition.runs.size()) {
        Consider(index, others[i], static_cast<ptrdiff_t>(i) + 1);
      }
    }
  }

  const std::optional<FlushChoice>& Found() const { return found_; }

 private:
  // For each other edge that begins alike (alike.h): the number of runs that both begin with. The largest comes first.
  std::vector<size_t> RunsWithOthers(size_t index) const {
    std::vector<size_t> runs;
    for (size_t i = 0; i < node_.edges.size(); ++i) {
      if (const size_t alike = i == index ? 0 : RunsAlike(node_.edges[index], node_.edges[i]); alike > 0) {
        runs.push_back(alike);
      }
    }
    std::ranges::sort(runs, std::greater());
    return runs;
  }

  void Consider(size_t index, size_t runs, ptrdiff_t others) {
    const auto alike = static_cast<uint64_t>(others) + 1;
    const uint64_t weight = Weight(node_.edges[index], runs, alike);
    if (weight > weight_) {
      weight_ = weight;
      found_ = {index, runs};
    }
  }

  uint64_t Weight(const Edge& edge, size_t runs, uint64_t alike) const {
    const Bytes lost = shares_.Of(edge.partition, runs) * alike;
    if (edge.link.Null() || edit_.References(edge.link.target) <= alike) return lost.value;
    const bool is_worth_it = sharing_ == Sharing::kLittle && WorthCopying(edit_, edge, lost, Reach::kMemory);
    return is_worth_it || sharing_ == Sharing::kBreak ? (lost.value + 3) / 4 : 0;
  }

  const Edit& edit_;
  const Node& node_;
  const Sharing sharing_;
  const BlockShares shares_;
  uint64_t weight_ = 0;
  std::optional<FlushChoice> found_;
};

}  // namespace

std::optional<FlushChoice> ChooseFlush(const Edit& edit, const Node& node, const std::vector<size_t>& edges,
                                       Sharing sharing) {
  Chooser chooser(edit, node, sharing);
  for (const size_t index : edges) chooser.Consider(index);
  return chooser.Found();
}

}  // namespace betr::dag
