// SPDX-License-Identifier: Apache-2.0
// Checks the invariants of a DAG and its table. fsck.betr prints what this finds; tests demand that it finds nothing.
#pragma once

#include <absl/status/status.h>

#include <functional>
#include <map>
#include <string>

#include "dag/table.h"
#include "dag/view.h"

namespace betr::dag {

struct Finding {
  enum class Kind {
    kUnreadable,   // a node or block cannot be loaded
    kMissing,      // a node that is named is not in the table
    kHeight,       // a child or a goto's target has the wrong height
    kShape,        // edges, gotos, runs or basements break an invariant of node.h or partition.h
    kImage,        // an edge reaches outside its child
    kOrder,        // keys of a block are outside or out of order
    kReferences,   // the count in the table is not the number of names
    kUnreachable,  // in the table, not dead, and nobody names it
  };
  Kind kind;
  NodeId node;
  std::string what;
  uint32_t expected_references = 0;  // of kReferences and kUnreachable
};

struct CheckOptions {
  bool blocks = true;  // load every block too
};

// Walks everything reachable from `roots` (tree or snapshot -> how often it is named) and compares it with the table.
// Memory: proportional to the number of nodes. Cost: one read per node, and one per block if asked for.
void CheckDag(const NodeTable& table, const std::map<NodeId, uint32_t>& roots, const CheckOptions& options,
              const std::function<void(const Finding&)>& report);

// Checks what a view shows in `clip`, from the beginning: the keys must be sorted and inside `clip`, and in leaves each
// must have a put. Errors: kDataLoss.
absl::Status CheckEntries(ViewReader& reader, const Range& clip, bool is_leaf);

}  // namespace betr::dag
