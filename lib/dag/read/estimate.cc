// SPDX-License-Identifier: Apache-2.0
#include "dag/read/estimate.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>
#include <vector>

#include "base/status.h"
#include "dag/erases.h"

namespace betr::dag {
namespace {

// The largest weight, so that sums of weights stay finite. Only forged images have more paths to a node.
constexpr double kMostWeight = 1e280;

// A range of a node to look at. It may stand for others, which are not looked at.
struct Sample {
  NodeId node;
  Range range;
  bool shared = false;
  double weight = 1;  // how many paths to such a range it stands for
};

// The samples of one level, in the order in which they were met. What many paths lead to is there once, with the weight
// of all of them. So what clones share is looked at once.
class Level {
 public:
  void Add(Sample sample) {
    const auto key = std::tuple(sample.node, sample.range.lo, sample.range.hi);
    const auto [known, is_new] = places_.try_emplace(key, samples_.size());
    if (is_new) {
      samples_.push_back(std::move(sample));
    } else {
      samples_[known->second].weight += sample.weight;
    }
    double& weight = samples_[known->second].weight;
    weight = std::min(weight, kMostWeight);
  }

  bool Empty() const { return samples_.empty(); }
  size_t Size() const { return samples_.size(); }

  // Picks at most `most` samples, which stand for all. If there are more samples, those picked are spread evenly over
  // the weight of all: the more paths lead to a sample, the more likely it is picked.
  std::vector<Sample> Pick(size_t most) const {
    if (samples_.size() <= most) return samples_;
    const auto add = [](double sum, const Sample& sample) { return sum + sample.weight; };
    const double each = std::accumulate(samples_.begin(), samples_.end(), 0.0, add) / static_cast<double>(most);
    std::vector<Sample> picked;
    double passed = each / 2;
    for (const Sample& sample : samples_) {
      passed += sample.weight;
      if (const double times = std::floor(passed / each); times > 0) {
        picked.push_back(sample);
        picked.back().weight = times * each;
        passed -= times * each;
      }
    }
    return picked;
  }

 private:
  std::vector<Sample> samples_;
  std::map<std::tuple<NodeId, Bound, Bound>, size_t> places_;
};

class Estimator {
 public:
  // `leaf`: what a leaf that is not in memory is taken to hold, instead of being read.
  Estimator(const NodeTable& table, Reach reach, std::optional<Bytes> leaf, EnoughContent enough)
      : table_(table), reach_(reach), leaf_(leaf), enough_(enough) {}

  // False if a node that is to be looked at is not in memory and must not be read.
  absl::StatusOr<bool> Run(NodeId root, const Range& range) {
    const NodeRecord* record = table_.Find(root);
    const size_t levels = record == nullptr ? 1 : record->height + 1U;
    Level level;
    if (!range.Empty()) level.Add({root, range});
    size_t nodes_left = reach_ == Reach::kMemory ? kEstimateNodesInMemory : kEstimateNodes;
    for (size_t levels_left = levels; !level.Empty() && levels_left > 0; --levels_left) {
      const size_t most = std::max(kEstimateNodesOfLevel, nodes_left / levels_left);
      nodes_left -= std::min(nodes_left, std::min(most, level.Size()));
      BETR_ASSIGN_OR_RETURN(level, Visit(level, most));
      above_ = static_cast<Height>(levels_left - 1);
      if (blind_) return false;
    }
    return true;
  }

  TreeContent Content() const {
    // Each erase was counted as an entry. But it is none, and it takes one away.
    const double left = erases_ == 0 ? 1 : std::max(0.0, 1 - 2 * erases_ / keys_);
    return {keys_ * left, bytes_ * left};
  }

  RangeEstimate Found() const {
    const auto at_most = [](double amount, uint64_t most) {
      return static_cast<uint64_t>(std::min(amount, static_cast<double>(most)));
    };
    const Bytes bytes{at_most(bytes_, kMostEstimatedBytes.value)};
    const Bytes shared{at_most(shared_, kMostEstimatedBytes.value)};
    return {at_most(keys_, kMostEstimatedKeys), bytes, shared,
            exact_ && keys_ < static_cast<double>(kMostEstimatedKeys)};
  }

 private:
  // Looks at no more than `most` samples, which stand for all. Returns the samples of the next level.
  absl::StatusOr<Level> Visit(const Level& level, size_t most) {
    exact_ = exact_ && level.Size() <= most;
    std::vector<std::pair<Sample, NodePtr>> seen;
    for (Sample& sample : level.Pick(most)) {
      BETR_ASSIGN_OR_RETURN(NodePtr node, Fetch(sample.node));
      if (node != nullptr) {
        BETR_RETURN_IF_ERROR(CheckBelow(sample.node, *node, above_, sample.range));
      } else if (!Guessed(sample.node)) {
        // The nodes of a level that are in memory are no fair sample of it: they may be those that show next to
        // nothing.
        blind_ = true;
        return Level();
      }
      seen.emplace_back(std::move(sample), std::move(node));
    }
    Level below;
    for (const auto& [sample, node] : seen) {
      if (node == nullptr) {
        GuessLeaf(sample);
      } else {
        Look(sample, *node, below);
      }
      if (enough_(Content())) return Level();
    }
    return below;
  }

  // Whether what the node holds is guessed if it is not in memory.
  bool Guessed(NodeId id) const {
    const NodeRecord* record = table_.Find(id);
    return leaf_ && record != nullptr && record->height == 0;
  }

  absl::StatusOr<NodePtr> Fetch(NodeId id) const {
    if (reach_ == Reach::kDisk && !Guessed(id)) return LoadNode(table_, id);
    const NodeRecord* record = table_.Find(id);
    return record == nullptr ? nullptr : record->slot->Peek();
  }

  void GuessLeaf(const Sample& sample) {
    const double bytes = sample.weight * static_cast<double>(leaf_->value);
    bytes_ += bytes;
    shared_ += sample.shared || table_.Find(sample.node)->references > 1 ? bytes : 0;
    exact_ = false;
  }

  // How what is found counts: whether as shared, and how many times.
  struct As {
    bool shared;
    double weight;
  };

  void Look(const Sample& sample, const Node& node, Level& below) {
    const As as{sample.shared || table_.Find(sample.node)->references > 1, sample.weight};
    for (const BlockView& basement : node.basements) Count(basement, sample.range, as);
    if (node.Leaf()) return;
    for (size_t i = node.EdgeAfter(sample.range.lo);
         i < node.edges.size() && node.edges[i].link.range.lo < sample.range.hi; ++i) {
      LookThrough(node.edges[i], node.edges[i].link.range.Intersect(sample.range), as, below);
    }
  }

  void LookThrough(const Edge& edge, const Range& range, As as, Level& below) {
    for (size_t i = 0; i < edge.partition.runs.size(); ++i) {
      exact_ = CountRun(edge.partition, i, range, as) == 0 && exact_;
    }
    Bound from = range.lo;
    for (size_t i = FirstGotoAfter(edge.partition.gotos, range.lo);
         i < edge.partition.gotos.size() && edge.partition.gotos[i].link.range.lo < range.hi; ++i) {
      const Link& message = edge.partition.gotos[i].link;
      const Range part = message.range.Intersect(range);
      Follow(edge.link, {from, part.lo}, as, below);
      Follow(message, part, as, below);
      from = part.hi;
    }
    Follow(edge.link, {from, range.hi}, as, below);
  }

  static void Follow(const Link& link, const Range& part, As as, Level& below) {
    if (!link.Null() && !part.Empty()) below.Add({link.target, link.Cut(part).Image(), as.shared, as.weight});
  }

  // Adds what a run has inside `range`, and returns how many entries that is. If the run's block is in memory, what
  // newer gotos supersede is left out.
  uint64_t CountRun(const Partition& partition, size_t index, const Range& range, As as) {
    const BlockView& run = partition.runs[index];
    if (!run.clip.Overlaps(range)) return 0;
    uint64_t count = 0;
    Bound from = range.lo;
    for (size_t i = FirstGotoAfter(partition.gotos, range.lo);
         i < partition.gotos.size() && partition.gotos[i].link.range.lo < range.hi && run.slot->Peek() != nullptr;
         ++i) {
      const Range& over = partition.gotos[i].link.range;
      if (index < partition.gotos[i].over) {
        count += from < over.lo ? Count(run, {from, over.lo}, as) : 0;
        from = over.hi;
      }
    }
    return from < range.hi ? count + Count(run, {from, range.hi}, as) : count;
  }

  // Adds the part of a view inside `range`, and returns how many entries that is. Both are estimates if the block is
  // not in memory.
  uint64_t Count(const BlockView& view, const Range& range, As as) {
    if (!view.clip.Overlaps(range)) return 0;
    const BlockView part = view.Cut(range);
    uint64_t keys = view.Count();
    uint64_t size = view.Size().value;
    if (const std::shared_ptr<const Block> block = view.slot->Peek()) {
      const ViewReader reader(block, part);
      keys = reader.Count();
      size = reader.Size().value;
    } else {
      // A block that is cut counts as half: the two ends of a range make one block together.
      const uint64_t share = part.clip == view.clip ? 1 : 2;
      keys /= share;
      size /= share;
      exact_ = false;
    }
    const double overhead = static_cast<double>(kUsualEntryOverhead + view.affix.strip.size()) -
                            static_cast<double>(view.affix.prepend.size());
    const double bytes = as.weight * std::max(0.0, static_cast<double>(size) - overhead * static_cast<double>(keys));
    keys_ += as.weight * static_cast<double>(keys);
    erases_ += leaf_ ? as.weight * static_cast<double>(ErasesInView(part)) : 0;
    bytes_ += bytes;
    shared_ += as.shared ? bytes : 0;
    return keys;
  }

  const NodeTable& table_;
  const Reach reach_;
  const std::optional<Bytes> leaf_;
  const EnoughContent enough_;
  Height above_ = kAboveRoot;
  double keys_ = 0;
  double erases_ = 0;  // of keys_, those that are erases
  double bytes_ = 0;
  double shared_ = 0;
  bool exact_ = true;
  bool blind_ = false;  // a node of the sample was not in memory and must not be read
};

}  // namespace

absl::StatusOr<RangeEstimate> Estimate(const NodeTable& table, NodeId root, const Range& range) {
  const auto never = [](const TreeContent&) { return false; };
  Estimator estimator(table, Reach::kDisk, std::nullopt, never);
  BETR_RETURN_IF_ERROR(estimator.Run(root, range).status());
  return estimator.Found();
}

std::optional<TreeContent> EstimateTree(const NodeTable& table, NodeId root, Reach reach, Bytes leaf,
                                        EnoughContent enough) {
  Estimator estimator(table, reach, leaf, enough);
  if (!estimator.Run(root, Range::All()).value_or(false)) return std::nullopt;
  return estimator.Content();
}

}  // namespace betr::dag
