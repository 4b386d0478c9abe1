// SPDX-License-Identifier: Apache-2.0
// What an erase leaves behind for good. A shared node stays as it is. So what one of its paths no longer shows is
// recorded in the lowest node of that path that nobody shares: by the ends of an edge, or by an erase that waits behind
// an edge for as long as the child is shared. Only the latter takes space.
#pragma once

#include <absl/status/statusor.h>

#include <string>

#include "betr/upsert.h"
#include "dag/table.h"

namespace betr::dag {

enum class Residue {
  kNone,  // nothing: it ends in a leaf of this tree alone, or edges end where it begins
  kSame,  // an erase that waits, and can take the place of what waits there already
  kMore,  // an erase that waits, in addition to all that was there
};

// Returns what is left of an erase of everything between two keys that stay, in root space. Something is left if both
// are seen through one edge, or one buffered goto, to a node that is shared. Reads the nodes of one path down to there,
// and what is buffered between the keys. Errors: those of the reads; kDataLoss if table and nodes contradict each
// other. Thread-safe.
absl::StatusOr<Residue> ResidueOf(const NodeTable& table, NodeId root, std::string before, std::string after,
                                  const UpsertRegistry& functions);

}  // namespace betr::dag
