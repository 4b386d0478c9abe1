// SPDX-License-Identifier: Apache-2.0
// The edit of one structural batch: clones, renames, new and dropped trees, and the point changes among them, in order.
#pragma once

#include <absl/status/statusor.h>

#include <map>
#include <set>
#include <vector>

#include "betr/write_batch.h"
#include "dag/change/clone.h"
#include "dag/change/disjoint_gotos.h"
#include "dag/change/edit.h"
#include "dag/change/message_buffer.h"
#include "store/core.h"
#include "store/fronts.h"

namespace betr::store {

// Used by one thread, in a structural turn and without other writers. Destroying it before the change is taken undoes
// everything.
class BatchEdit {
 public:
  // All outlive the edit.
  BatchEdit(Core& core, Fronts& fronts, const State& before);

  // Applies one operation. Requires: the batch was checked (write_path.cc). `op` outlives the edit. Errors: a node
  // cannot be loaded.
  absl::Status Apply(const Op& op);

  // Returns what is to be published. Called once, after all operations. Errors as of Apply.
  absl::StatusOr<Change> TakeChange();

  const dag::Edit& edit() const { return edit_; }

 private:
  NodeId RootOf(TreeId id) const;
  void Buffer(const Op& op);
  // Takes out what was deferred for a tree, in order. Cost: O(that).
  std::vector<const Op*> TakeDeferred(TreeId id);
  // Puts what is in front of a tree's root, and was said of the tree so far, into the root.
  absl::Status Drain(TreeId id);
  // The same, except for what this batch has said of other parts of the tree: that waits, and arrives together.
  absl::Status DrainFor(TreeId id, const Range& range);
  absl::Status InsertBuffer(TreeId id, const dag::MessageBuffer& buffer);
  absl::Status InsertGotos(TreeId id);
  absl::StatusOr<dag::Place> FindPlace(TreeId id, std::string_view prefix);
  absl::Status CloneOrRename(const Op& op);
  absl::Status Create(const Op& op);
  absl::Status Snapshot(const Op& op);
  void AddTree(Tree tree);
  absl::Status Drop(const Op& op);

  Core& core_;
  Fronts& fronts_;
  const State& before_;
  dag::Edit edit_;
  TreeTable trees_;
  TreeId next_tree_;
  uint64_t levels_;
  std::set<TreeId> drained_;                           // trees whose sealed and active buffers are in their roots
  std::map<TreeId, dag::DisjointGotos> gotos_;         // of drained trees: clones, renames
  std::map<TreeId, dag::MessageBuffer> local_;         // and all else, newer than gotos for the same keys
  std::vector<const Op*> deferred_;                    // points of other trees; null where they were taken
  std::map<TreeId, std::vector<size_t>> deferred_of_;  // where those of each tree are
};

}  // namespace betr::store
