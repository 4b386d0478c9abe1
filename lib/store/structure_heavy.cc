// SPDX-License-Identifier: Apache-2.0
// Roots that buffer many clones and range erases: their bounds are in the header of a node, which has a largest size.
#include "layout/limits.h"
#include "store/structure.h"

namespace betr::store {
namespace {

// A header has at most 64 MiB (layout/node_codec.h), and on top of this come what is in front of the root, at most
// Core::BufferLimit(), and one batch (kMaxBatchBounds). A node that is not over-full may have as much.
constexpr Bytes kMostBounds = layout::kMaxNodeSize;
constexpr int kMostSteps = 64;  // of which each moves on what waits for the heaviest edge

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

}  // namespace

void Structure::Relieve(const std::set<TreeId>& trees) {
  growing_ = Purpose::kGrow;
  for (const TreeId id : trees) {
    bool more = true;
    for (int steps = 0; more && steps < kMostSteps && IsHeavy(*fronts_.state(), id); ++steps) {
      Restless& restless = restless_[id];
      restless.news = true;
      more = WorkOn(id, restless).value_or(false);
    }
  }
}

}  // namespace betr::store
