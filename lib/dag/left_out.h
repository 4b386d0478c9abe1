// SPDX-License-Identifier: Apache-2.0
// What background work leaves out, because something that it needs cannot be read: a node, or jobs at an edge of a
// node. A store keeps one of these as long as it is open, so that nothing is tried again and again. Messages for what
// lies behind such an edge stay where they are. Edges whose child would get too long bounds (storable.h) are not
// remembered, since their nodes tell, but that there is any such edge is.
//
// Not thread-safe: belongs to the structural writer.
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
  // Ok, or why nothing is done at the edge of a node that begins there, in the node's space.
  absl::Status EdgeStatus(NodeId node, const Bound& begin) const;
  void AddEdge(NodeId node, const Bound& begin, const absl::Status& why);

  // Ok, or why the node could not be read.
  absl::Status NodeStatus(NodeId node) const;
  void AddNode(NodeId node, const absl::Status& why) { nodes_.try_emplace(node, why); }

  // How many edges there are: more, if a step that has failed will not be taken again.
  size_t EdgeCount() const { return edge_count_; }

  void NoteTooLong() { any_too_long_ = true; }
  // Whether no edge needs to be asked for.
  bool Nothing() const { return edge_count_ == 0 && !any_too_long_; }

 private:
  absl::flat_hash_map<NodeId, std::map<Bound, absl::Status>> edges_;
  absl::flat_hash_map<NodeId, absl::Status> nodes_;
  size_t edge_count_ = 0;
  bool any_too_long_ = false;
};

}  // namespace betr::dag
