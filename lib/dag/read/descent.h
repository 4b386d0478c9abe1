// SPDX-License-Identifier: Apache-2.0
// A walk from the root of a tree down to a position, one node a step. On the way it narrows to the range around the
// position within which the path stays the same, and gathers the messages that it passes.
#pragma once

#include <absl/status/statusor.h>

#include <memory>
#include <utility>
#include <vector>

#include "dag/affix.h"
#include "dag/layer.h"
#include "dag/link.h"
#include "dag/partition.h"
#include "dag/point_reader.h"
#include "dag/table.h"

namespace betr::dag {

// What is read: a tree as it was at some time.
struct Source {
  NodeTable table;
  NodeId root;
  std::vector<std::shared_ptr<const Layer>> layers;  // newest first
};

class Descent {
 public:
  // Starts at the root, behind the layers in front of it. `within`, in root space, holds the position. `source` must
  // outlive the descent.
  Descent(const Source& source, const Range& within, const Bound& at, Direction direction);

  // The node at which it stands, which has not been read yet. kNoNode: at the end, since nothing older lives there, or
  // behind a leaf.
  NodeId node() const { return node_; }
  bool AtEnd() const { return node_ == kNoNode; }
  // Whether it ended behind a leaf.
  bool SawLeaf() const { return saw_leaf_; }
  // The height of the node. Requires: not at the end.
  absl::StatusOr<Height> HeightOfNode() const;

  // Goes on by one node. Requires: not at the end. Cost: reads the node, and the blocks of one partition or one
  // basement, if they are not in memory. Errors: those of the source; kDataLoss if table and nodes contradict each
  // other.
  absl::Status Step();

  // The range, in root space, in which the path is the same as at the position. Not empty.
  Range Shown() const { return {to_root_.Read(shown_.lo), to_root_.Read(shown_.hi)}; }
  // A key of the node strip + x is the whole key prepend + x.
  const Affix& ToRoot() const { return to_root_; }
  // Hands over readers of the messages that were passed, in root space, newest first. They may show keys outside of
  // Shown.
  std::vector<std::unique_ptr<PointReader>> TakeReaders() { return std::move(readers_); }

 private:
  absl::Status VisitInterior(const Node& node);
  absl::Status VisitLeaf(const Node& leaf);
  const Goto* NarrowToGoto(const std::vector<Goto>& gotos);
  absl::Status Read(const BlockView& view);

  const Source& source_;
  NodeId node_;
  Height above_ = kAboveRoot;
  bool saw_leaf_ = false;
  // In the space of the node.
  Range shown_;
  Bound at_;
  const bool forward_;
  Affix to_root_;
  std::vector<std::unique_ptr<PointReader>> readers_;
};

}  // namespace betr::dag
