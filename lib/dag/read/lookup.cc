// SPDX-License-Identifier: Apache-2.0
#include "dag/read/lookup.h"

#include <string>

#include "base/status.h"

namespace betr::dag {

absl::StatusOr<const Goto*> LookUpInPartition(const Partition& partition, std::string_view key, ValueBuilder& value) {
  const Goto* covering = partition.Covering(key);
  const size_t oldest = covering == nullptr ? 0 : covering->over;
  for (size_t i = partition.runs.size(); i > oldest && !value.Done(); --i) {
    BETR_RETURN_IF_ERROR(LookUpInView(partition.runs[i - 1], key, value));
  }
  return covering;
}

absl::Status LookUp(const NodeTable& table, NodeId root, std::string_view key, ValueBuilder& value) {
  std::string local(key);
  NodeId id = root;
  Height above = kAboveRoot;
  while (!value.Done()) {
    BETR_ASSIGN_OR_RETURN(const NodePtr node, LoadNode(table, id));
    if (above == kAboveRoot) {
      BETR_RETURN_IF_ERROR(CheckRoot(id, *node));
    } else if (node->height >= above || !node->bounds.Contains(local)) {
      return CheckBelow(id, *node, above, local);
    }
    above = node->height;
    if (node->Leaf()) {
      if (const size_t basement = node->BasementOf(local); basement < node->basements.size()) {
        BETR_RETURN_IF_ERROR(LookUpInView(node->basements[basement], local, value));
      }
      break;
    }
    const Edge& edge = node->edges[node->EdgeOf(local)];
    BETR_ASSIGN_OR_RETURN(const Goto* covering, LookUpInPartition(edge.partition, local, value));
    const Link& next = covering == nullptr ? edge.link : covering->link;
    if (next.Null()) break;
    local = next.Map(local);
    id = next.target;
  }
  if (!value.Done()) value.EndHere();
  return absl::OkStatus();
}

}  // namespace betr::dag
