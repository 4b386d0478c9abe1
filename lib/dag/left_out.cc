// SPDX-License-Identifier: Apache-2.0
#include "dag/left_out.h"

namespace betr::dag {

const LeftOut::Edges* LeftOut::EdgesOf(NodeId node) const {
  const auto found = edges_.find(node);
  return found == edges_.end() ? nullptr : &found->second;
}

void LeftOut::AddEdge(NodeId node, const Bound& begins, const absl::Status& why) {
  edge_count_ += edges_[node].try_emplace(begins, why).second ? 1 : 0;
}

absl::Status LeftOut::NodeStatus(NodeId node) const {
  const auto found = nodes_.find(node);
  return found == nodes_.end() ? absl::OkStatus() : found->second;
}

}  // namespace betr::dag
