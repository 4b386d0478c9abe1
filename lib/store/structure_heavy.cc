// SPDX-License-Identifier: Apache-2.0
// What who changes trees does of the background's work, where that does not keep up. Roots that buffer many clones and
// range erases: their bounds are in the header of a node, which has a largest size. And trees that get tall.
#include <algorithm>

#include "layout/limits.h"
#include "store/structure.h"

namespace betr::store {
namespace {

// A header has at most 64 MiB (layout/node_codec.h), and on top of this come what is in front of the root, at most
// Core::BufferLimit(), and one batch (kMaxBatch.bounds). A node that is not over-full may have as much.
constexpr Bytes kMostBounds = layout::kMaxNodeSize;
constexpr int kMostSteps = 64;  // of which each moves on what waits for the heaviest edge

// Far above what trees of any size need, and far below dag::kMaxHeight.
constexpr dag::Height kTall = 24;
constexpr int kStepsOfTall = 32;

bool IsHeavy(const State& state, TreeId id) {
  const Tree* tree = state.trees.Find(id);
  const dag::NodeRecord* record = tree == nullptr || tree->snapshot ? nullptr : state.table.Find(tree->root);
  const dag::NodePtr root = record == nullptr ? nullptr : record->slot->Get().value_or(nullptr);
  if (root == nullptr) {
    return false;
  }
  Bytes bounds{0};
  for (const dag::Edge& edge : root->edges) {
    for (const dag::Goto& message : edge.partition.gotos) {
      bounds += dag::GotoSize(message);
    }
  }
  return bounds > kMostBounds;
}

bool IsTall(const State& state, TreeId id) {
  const Tree* tree = state.trees.Find(id);
  const dag::NodeRecord* record = tree == nullptr ? nullptr : state.table.Find(tree->root);
  return record != nullptr && record->height > kTall;
}

}  // namespace

void Structure::Relieve(const std::set<TreeId>& trees) {
  for (const TreeId id : trees) {
    bool more = true;
    for (int steps = 0; more && steps < kMostSteps && IsHeavy(*fronts_.state(), id); ++steps) {
      Restless& restless = Stir(id);
      restless.news = true;
      more = WorkOn(id, restless).value_or(false);
    }
  }
}

void Structure::Lower(const std::set<TreeId>& trees) {
  const auto any_tall = [&] {
    const StatePtr state = fronts_.state();
    return std::ranges::any_of(trees, [&](TreeId id) { return IsTall(*state, id); });
  };
  for (int steps = 0; steps < kStepsOfTall && any_tall(); ++steps) {
    if (!NextStep().value_or(false)) {
      return;
    }
  }
}

}  // namespace betr::store
