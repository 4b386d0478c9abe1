// SPDX-License-Identifier: Apache-2.0
// Which trees there are when both copies of the catalog are lost: what the newest one that is found, the node table and
// the nodes tell of it.
//
// A root of a tree is a node that is counted more often than nodes name it. An older catalog names trees, but not the
// roots that they have got since; the old root of a tree may be that of a snapshot by now. But the superblock has the
// checksum of the lost catalog: if some way to give the roots to the trees makes a catalog with that checksum, it is
// that very catalog. Else:
//
//   if there is no root that the older catalog does not explain, it is believed
//   a root that it wants for more trees than count it is a snapshot's first if such roots are left, else the live one's
//   if one that is left may be what a tree has become, none but snapshots keeps its name: what they are their content
//   must tell; else they keep their roots
//
// and it is said that what is shown may be older.
#pragma once

#include <string>
#include <vector>

#include "store/lost_range.h"
#include "store/salvage_nodes.h"
#include "store/salvage_walk.h"

namespace betr::store {

struct FoundTrees {
  layout::Catalog catalog;  // the trees whose names and roots are known
  std::vector<std::string> actions;
  std::vector<LostRange> lost;
};

// Requires: nodes are scanned, and those without a page are taken. Cost: reads all nodes above the leaves; up to some
// millions of checksums of a catalog.
FoundTrees FindTrees(Inspection& image, SalvageNodes& nodes, SalvageWalk& walk);

}  // namespace betr::store
