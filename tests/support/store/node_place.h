// SPDX-License-Identifier: Apache-2.0
// Where the nodes of an image are, for tests that spoil them.
#pragma once

#include <string>

#include "betr/units.h"
#include "device/block_device.h"

namespace betr::test {

struct NodePlace {
  Bytes begin{0};
  Bytes header_end{0};
  Bytes end{0};
};

// Returns the node of that height on the way from the root of a tree to a key; the root if that is lower.
NodeId NodeOnTheWay(BlockDevice& image, TreeId tree, const std::string& key, int height);
NodePlace PlaceOf(BlockDevice& image, NodeId node);

}  // namespace betr::test
