// SPDX-License-Identifier: Apache-2.0
// Finds out which trees there are when both copies of the catalog are lost, from the newest catalog that is found on
// the device, the node table and the nodes.
//
// A root of a tree is a node that is counted more often than nodes name it. An older catalog names trees, but not the
// roots that they have got since. The old root of a tree may be that of a snapshot by now. But the superblock has the
// checksum of the lost catalog. If some way to give the roots to the trees makes a catalog with that checksum, it is
// that very catalog. Otherwise:
//
//   - If the older catalog explains every root, it is believed.
//   - It may want a root for more trees than the count of that root allows. Then snapshots get the root first if there
//     are roots that it does not explain. Otherwise live trees do.
//   - If a root that it does not explain may be what a tree has become, only snapshots keep their names: what the other
//     roots are, their content must tell. Otherwise live trees keep their roots, too.
//
// In these cases it is said that what is shown may be older.
#pragma once

#include <string>
#include <vector>

#include "store/offline/lost_range.h"
#include "store/offline/salvage_nodes.h"
#include "store/offline/salvage_walk.h"

namespace betr::store {

struct FoundTrees {
  layout::Catalog catalog;  // the trees whose names and roots are known
  std::vector<std::string> actions;
  std::vector<LostRange> lost;
};

// Requires: nodes are scanned, and those without a page are taken. Cost: reads all nodes above the leaves, and makes up
// to some millions of checksums of a catalog.
FoundTrees FindTrees(Inspection& image, SalvageNodes& nodes, SalvageWalk& walk);

}  // namespace betr::store
