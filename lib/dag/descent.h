// SPDX-License-Identifier: Apache-2.0
// A walk from the root of a tree down to a position, a node a step. On the way it narrows to the range around the
// position within which nothing about the way changes, and gathers the messages that it comes by.
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

// What is read: a tree as it is at some time.
struct Source {
  NodeTable table;
  NodeId root;
  std::vector<std::shared_ptr<const Layer>> layers;  // newest first
};

class Descent {
 public:
  // Stands on the root, the layers in front of it passed. `within`, in root space, holds the position. `source`
  // outlives this.
  Descent(const Source& source, const Range& within, const Bound& at, Direction direction);

  // Where it stands, not read yet. kNoNode: at the end, because nothing older lives there, or behind a leaf.
  NodeId node() const { return node_; }
  bool AtEnd() const { return node_ == kNoNode; }
  // Whether it ended behind a leaf.
  bool SawLeaf() const { return saw_leaf_; }
  // That of the node. Requires: not at the end.
  absl::StatusOr<Height> HeightOfNode() const;

  // Goes on by a node. Requires: not at the end. Cost: reads the node, and the blocks of one partition or one
  // basement, if they are not in memory. Errors: the source's, kDataLoss if table and nodes contradict each other.
  absl::Status Step();

  // In root space: where the way is the same as at the position. Not empty.
  Range Shown() const { return {to_root_.Read(shown_.lo), to_root_.Read(shown_.hi)}; }
  // A key of the node strip + x is the whole key prepend + x.
  const Affix& ToRoot() const { return to_root_; }
  // What has been come by, in root space, newest first. May show keys outside of what is shown.
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
