// SPDX-License-Identifier: Apache-2.0
// The seam between the algorithms and storage. The DAG never does I/O by itself: it asks slots for content and
// hands new content to a source.
#pragma once

#include <absl/status/statusor.h>

#include <memory>

#include "dag/block.h"
#include "dag/node.h"

namespace betr::dag {

// One published version of a node: in memory, or on disk and loaded when asked for. Thread-safe.
class NodeSlot {
 public:
  virtual ~NodeSlot() = default;
  // The node without the contents of its blocks. Costs at most one read. Errors: the device's; kDataLoss.
  virtual absl::StatusOr<NodePtr> Get() const = 0;
  // The node if it costs no I/O, else null.
  virtual NodePtr Peek() const = 0;
};

// Takes over new nodes and blocks. Thread-safe.
class NodeSource {
 public:
  virtual ~NodeSource() = default;
  virtual std::shared_ptr<const NodeSlot> Adopt(NodeId id, Node node) = 0;
  virtual std::shared_ptr<const BlockSlot> Adopt(std::shared_ptr<const Block> block) = 0;
};

}  // namespace betr::dag
