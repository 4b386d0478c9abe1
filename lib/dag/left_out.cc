// SPDX-License-Identifier: Apache-2.0
#include "dag/left_out.h"

namespace betr::dag {

absl::Status LeftOut::EdgeStatus(NodeId node, const Bound& begin) const {
  const auto edges = edges_.find(node);
  if (edges == edges_.end()) return absl::OkStatus();
  const auto found = edges->second.find(begin);
  return found == edges->second.end() ? absl::OkStatus() : found->second;
}

void LeftOut::AddEdge(NodeId node, const Bound& begin, const absl::Status& why) {
  edge_count_ += edges_[node].try_emplace(begin, why).second ? 1 : 0;
}

absl::Status LeftOut::NodeStatus(NodeId node) const {
  const auto found = nodes_.find(node);
  return found == nodes_.end() ? absl::OkStatus() : found->second;
}

}  // namespace betr::dag
