// SPDX-License-Identifier: Apache-2.0
// Roots that buffer many clones and range erases: their bounds are in the header of a node, which has a largest size.
#include "base/status.h"
#include "store/structure.h"

namespace betr::store {
namespace {

// Far less than a header can have (layout/node_codec.h): what is in front of the root comes on top of it, and one
// batch.
constexpr Bytes kMostBounds = MiB(16);
// So many flushes at most; what they cannot move, because it cannot be read or there is no space, is nobody's fault.
constexpr int kMostSteps = 1000;

bool IsHeavy(const State& state, TreeId id) {
  const Tree* tree = state.trees.Find(id);
  const dag::NodeRecord* record = tree == nullptr || tree->snapshot ? nullptr : state.table.Find(tree->root);
  const dag::NodePtr root = record == nullptr ? nullptr : record->slot->Peek();
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

absl::Status Structure::Relieve(const std::set<TreeId>& trees) {
  growing_ = Purpose::kGrow;
  for (const TreeId id : trees) {
    bool more = true;
    for (int steps = 0; more && steps < kMostSteps && IsHeavy(*fronts_.state(), id); ++steps) {
      Restless& restless = restless_[id];
      restless.news = true;
      const absl::StatusOr<bool> worked = WorkOn(id, restless);
      if (absl::IsResourceExhausted(worked.status())) {
        return absl::OkStatus();
      }
      BETR_ASSIGN_OR_RETURN(more, worked);
    }
  }
  return absl::OkStatus();
}

}  // namespace betr::store
