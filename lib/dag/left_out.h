// SPDX-License-Identifier: Apache-2.0
// What background work leaves out because something that it needs cannot be read: a node, or jobs at an edge of a node.
// A store keeps one of these while it is open, so that nothing is tried again and again. Messages for what lies behind
// such an edge stay where they are. Edges whose child would get too long bounds (storable.h) are not remembered, since
// their nodes tell. Only the fact that there are any is remembered.
//
// Not thread-safe: it belongs to the structural writer.
#pragma once

#include <absl/container/flat_hash_map.h>
#include <absl/status/status.h>

#include <cstddef>
#include <map>

#include "base/units.h"
#include "dag/bound.h"

namespace betr::dag {

class LeftOut {
 public:
  // Returns why nothing is done at the edge of a node that begins at `begin`, in the node's space, or ok.
  absl::Status EdgeStatus(NodeId node, const Bound& begin) const;
  void AddEdge(NodeId node, const Bound& begin, const absl::Status& why);

  // Returns why the node could not be read, or ok.
  absl::Status NodeStatus(NodeId node) const;
  void AddNode(NodeId node, const absl::Status& why) { nodes_.try_emplace(node, why); }

  // The number of edges. If it has grown after a step failed, that step will not be taken again.
  size_t EdgeCount() const { return edge_count_; }

  void NoteTooLong() { any_too_long_ = true; }
  // Whether no edge has to be asked about: none is left out, and none has too long bounds.
  bool Nothing() const { return edge_count_ == 0 && !any_too_long_; }

 private:
  absl::flat_hash_map<NodeId, std::map<Bound, absl::Status>> edges_;
  absl::flat_hash_map<NodeId, absl::Status> nodes_;
  size_t edge_count_ = 0;
  bool any_too_long_ = false;
};

}  // namespace betr::dag
