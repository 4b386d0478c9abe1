// SPDX-License-Identifier: Apache-2.0
#include "dag/change/lower.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "base/status.h"
#include "dag/change/child.h"
#include "dag/change/job.h"

namespace betr::dag {
namespace {

// The top of a tree ends above the first level of which it shows more parts of nodes than this.
constexpr size_t kMostParts = 128;
// After this many merges the rest is left to the next step, because all that one edit makes must find space.
constexpr uint64_t kMostMerges = 64;

// A tree in which nothing was found is looked at again when it has become taller by 1/kPartTaller of its height, and in
// any case after kTimesPassed calls.
constexpr Height kPartTaller = 8;
constexpr int kTimesPassed = 32;

// What a tree shows of the nodes of one level.
using Level = std::map<NodeId, std::vector<Range>>;

class Lowering {
 public:
  Lowering(Edit& edit, NodeId root, Sharing sharing) : edit_(edit), root_(root), sharing_(sharing) {}

  absl::StatusOr<NodeId> Run() {
    BETR_ASSIGN_OR_RETURN(const NodePtr root, edit_.Load(root_));
    reach_ = ReachOf(root->height);
    const uint64_t merges = edit_.counters().merges;
    const std::vector<Level> levels = FindTop();
    for (auto level = levels.rbegin(); level != levels.rend() && edit_.counters().merges - merges < kMostMerges;
         ++level) {
      for (const auto& [id, shown] : *level) BETR_RETURN_IF_ERROR(HealShown(id, shown));
    }
    BETR_RETURN_IF_ERROR(HealRoot());
    return root_;
  }

 private:
  // Returns the levels below the root, from the top down, as long as the level below is interior and narrow.
  std::vector<Level> FindTop() const {
    std::vector<Level> levels;
    Level level = Below({{root_, {Range::All()}}});
    for (Level below = Below(level); Narrow(below); below = Below(level)) {
      levels.push_back(std::exchange(level, std::move(below)));
    }
    return levels;
  }

  static bool Narrow(const Level& level) {
    size_t parts = 0;
    for (const auto& [id, shown] : level) parts += shown.size();
    return parts > 0 && parts <= kMostParts;
  }

  // The interior children of a level.
  Level Below(const Level& level) const {
    Level below;
    for (const auto& [id, shown] : level) {
      const NodePtr node = Look(id);
      if (node == nullptr || node->height < 2) continue;
      for (const Range& range : shown) {
        for (const Edge& edge : node->edges) {
          if (!edge.link.Null() && edge.link.range.Overlaps(range)) {
            AddPart(below[edge.link.target], edge.link.Cut(edge.link.range.Intersect(range)).Image());
          }
        }
      }
    }
    return below;
  }

  static void AddPart(std::vector<Range>& shown, Range part) {
    if (std::ranges::find(shown, part) == shown.end()) shown.push_back(std::move(part));
  }

  NodePtr Look(NodeId id) const { return reach_ == Reach::kMemory ? edit_.Peek(id) : edit_.Load(id).value_or(nullptr); }

  HealMode Mode() const { return {sharing_, reach_}; }

  // Merges neighbouring children of a node, as far as their edges are shown.
  absl::Status HealShown(NodeId id, const std::vector<Range>& shown) {
    const NodePtr now = Look(id);
    if (now == nullptr) return absl::OkStatus();
    Node node = *now;
    BETR_RETURN_IF_ERROR(HealShown(id, node, shown));
    if (node != *now) edit_.Rearrange(id, std::move(node));
    return edit_.status();
  }

  absl::Status HealShown(NodeId id, Node& node, const std::vector<Range>& shown) {
    const auto is_open = [&](const Edge& edge) {
      return std::ranges::any_of(shown, [&](const Range& range) { return edge.link.range.Overlaps(range); }) &&
             WhyLeftOut(edit_, id, edge).ok();  // what is left out is not merged
    };
    for (size_t end = node.edges.size(); end > 0;) {
      size_t begin = end;
      while (begin > 0 && is_open(node.edges[begin - 1])) --begin;
      if (end - begin > 1) BETR_RETURN_IF_ERROR(Heal(edit_, node, begin + 1, end - 1, Mode()));
      end = begin == end ? end - 1 : begin;
    }
    return absl::OkStatus();
  }

  absl::Status HealRoot() {
    BETR_ASSIGN_OR_RETURN(const NodePtr now, edit_.Load(root_));
    if (!LevelTooMany(edit_, *now, sharing_) && !AnyMergeable(*now)) return absl::OkStatus();
    BETR_ASSIGN_OR_RETURN(OwnChild own, TakeRoot(edit_, root_));
    BETR_RETURN_IF_ERROR(HealShown(root_, own.node, {Range::All()}));
    BETR_ASSIGN_OR_RETURN(root_, PutHealedRoot(edit_, std::move(own), sharing_));
    return absl::OkStatus();
  }

  bool AnyMergeable(const Node& root) const {
    const auto is_open = [&](const Edge& edge) { return WhyLeftOut(edit_, root_, edge).ok(); };
    for (size_t i = 0; i + 1 < root.edges.size(); ++i) {
      if (is_open(root.edges[i]) && is_open(root.edges[i + 1]) && Mergeable(edit_, root, i, Mode()).value_or(false)) {
        return true;
      }
    }
    return false;
  }

  Edit& edit_;
  NodeId root_;
  const Sharing sharing_;
  Reach reach_ = Reach::kMemory;
};

}  // namespace

absl::StatusOr<NodeId> LowerTop(Edit& edit, NodeId root, Sharing sharing) {
  return Lowering(edit, root, sharing).Run();
}

bool LowerAgain::Due(Height height) {
  const bool taller = height > none_at_ + none_at_ / kPartTaller;
  return none_at_ == 0 || taller || ++passed_ >= kTimesPassed;
}

void LowerAgain::Note(Height height, bool found) {
  none_at_ = found ? 0 : height;
  passed_ = 0;
}

}  // namespace betr::dag
