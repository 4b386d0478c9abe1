// SPDX-License-Identifier: Apache-2.0
#include "dump_walk.h"

#include <functional>
#include <map>

#include "dag/node_links.h"

namespace betr::tools {

void WalkDag(const store::State& state, const std::set<NodeId>& roots,
             absl::FunctionRef<void(const WalkedNode&)> visit) {
  std::map<dag::Height, std::set<NodeId>, std::greater<>> waiting;
  for (const NodeId root : roots) {
    if (const dag::NodeRecord* record = state.table.Find(root)) waiting[record->height].insert(root);
  }
  while (!waiting.empty()) {
    const dag::Height height = waiting.begin()->first;
    const NodeId id = *waiting.begin()->second.begin();
    waiting.begin()->second.erase(id);
    if (waiting.begin()->second.empty()) waiting.erase(waiting.begin());
    const WalkedNode walked{id, *state.table.Find(id), dag::LoadNode(state.table, id)};
    visit(walked);
    if (!walked.node.ok()) continue;
    dag::ForEachLink(**walked.node, [&](const dag::Link& link) {
      const dag::NodeRecord* record = state.table.Find(link.target);
      if (record != nullptr && record->height < height) waiting[record->height].insert(link.target);
    });
  }
}

std::set<NodeId> AllRoots(const store::State& state) {
  std::set<NodeId> roots;
  for (const auto& [id, tree] : state.trees) roots.insert(tree.root);
  return roots;
}

}  // namespace betr::tools
