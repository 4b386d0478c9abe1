// SPDX-License-Identifier: Apache-2.0
// Background work that is done by callers who change trees, if the background does not keep up. It relieves roots that
// buffer many clones and range erases: their bounds are in the header of a node, which has a largest size. And it
// lowers trees that get tall.
#include "base/status.h"
#include "dag/change/heal.h"
#include "dag/change/lower.h"
#include "layout/limits.h"
#include "store/structure.h"

namespace betr::store {
namespace {

// A header has at most 64 MiB (layout/node_codec.h). It must also take what is in front of the root, at most
// Core::BufferLimit(), and one batch (kMaxBatch.bounds). What these copy of the translations of clones that wait is
// below 32 MiB (dag/change/arrive.cc). A node that is not over-full may have this much.
constexpr Bytes kMostBounds = layout::kMaxNodeSize;
constexpr int kMostSteps = 64;  // each moves on what waits for the heaviest edge

constexpr int kStepsOfTall = 8;

bool IsHeavy(const State& state, TreeId id) {
  const Tree* tree = state.trees.Find(id);
  const dag::NodeRecord* record = tree == nullptr || tree->snapshot ? nullptr : state.table.Find(tree->root);
  const dag::NodePtr root = record == nullptr ? nullptr : record->slot->Get().value_or(nullptr);
  if (root == nullptr) return false;
  Bytes bounds{0};
  for (const dag::Edge& edge : root->edges) {
    for (const dag::Goto& message : edge.partition.gotos) bounds += dag::GotoSize(message);
  }
  return bounds > kMostBounds;
}

}  // namespace

void Structure::Relieve(const std::set<TreeId>& trees) {
  for (const TreeId id : trees) {
    bool more = true;
    for (int steps = 0; more && steps < kMostSteps && IsHeavy(*fronts_.state(), id); ++steps) {
      more = WorkOn(id, sweeps_.StirWithNews(id)).value_or(false);
    }
  }
}

void Structure::Lower(const std::set<TreeId>& trees) {
  for (const TreeId id : trees) {
    for (int steps = 0; steps < kStepsOfTall; ++steps) {
      const StatePtr state = fronts_.state();
      const dag::Height height = HeightOf(*state, id);
      dag::LowerAgain* again = sweeps_.LowerAgainOf(id, height);
      if (again == nullptr || !again->Due(height)) break;
      again->Note(height, LowerStep(id).value_or(false));
    }
  }
}

absl::StatusOr<bool> Structure::LowerStep(TreeId id) {
  const StatePtr before = fronts_.state();
  const Tree* tree = before->trees.Find(id);
  if (tree == nullptr || tree->snapshot) return false;
  dag::Edit edit = BeginWork(*before);
  const dag::Sharing sharing = dag::SharingToLower(edit, tree->root);
  if (sharing == dag::Sharing::kKeep) return false;
  BETR_ASSIGN_OR_RETURN(const NodeId root, dag::LowerTop(edit, tree->root, sharing));
  if (edit.changed().empty()) return false;
  BETR_RETURN_IF_ERROR(PublishRoot(*before, edit, id, root));
  return true;
}

}  // namespace betr::store
