// SPDX-License-Identifier: Apache-2.0
// The sizes that decide when nodes are flushed, split and merged. Fixed when a store is made.
#pragma once

#include <cstddef>

#include "base/units.h"

namespace betr::dag {

struct Shape {
  // A larger leaf is split, and an interior node that buffers more is flushed. Uncompressed bytes.
  Bytes node_size = MiB(4);
  // A larger basement is cut.
  Bytes basement_size = KiB(64);
  // An interior node is split if it has more edges that lead somewhere or buffer something. At least 8: with less,
  // carving fills nodes faster than healing can merge them (docs/dag.md).
  size_t fanout = 16;
  // Where more runs lie on top of each other, they are compacted (compact.h).
  size_t runs = 8;
};

}  // namespace betr::dag
