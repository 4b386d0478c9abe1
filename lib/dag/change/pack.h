// SPDX-License-Identifier: Apache-2.0
// Packing a leaf: copies entries that stand in many small basements, or in blocks of which little is shown, into new
// basements. Cuts and merges leave such basements behind, since a block stays whole as long as anyone shows a bit of
// it.
#pragma once

#include "dag/change/edit.h"
#include "dag/node.h"

namespace betr::dag {

// Packs what is in memory, without I/O. The rest stays as it is. Requires: the leaf is the caller's alone.
void Pack(Edit& edit, Node& leaf);

}  // namespace betr::dag
