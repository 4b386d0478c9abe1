// SPDX-License-Identifier: Apache-2.0
// Finds out whether nodes that were found by search, because their page of the node table is lost, are what the page
// had. The page can be made again of what was found. If it then has the checksum that whoever named it has, all of it
// is right.
#pragma once

#include <vector>

#include "store/offline/inspect.h"
#include "store/offline/salvage_nodes.h"

namespace betr::store {

// Returns the nodes of the table that were found by search and that no page vouches for: each may be an older version
// than the lost one. A page vouches for its nodes if each was found as the page had it, with its reference count.
// Requires: the counts of `nodes` are those of who names them. Cost: a checksum of 4 KiB for each generation that a
// page may be of, up to a limit.
std::vector<NodeId> FindUnvouched(const Inspection& image, SalvageNodes& nodes);

}  // namespace betr::store
