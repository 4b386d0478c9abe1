// SPDX-License-Identifier: Apache-2.0
// The sizes that decide when nodes flush, split and are merged. Fixed for a store when it is made.
#pragma once

#include <cstddef>

#include "base/units.h"

namespace betr::dag {

struct Shape {
  // A leaf of more splits; an interior node that buffers more flushes. Uncompressed bytes.
  Bytes node_size = MiB(4);
  // A basement of more is cut.
  Bytes basement_size = KiB(64);
  // An interior node with more edges that lead somewhere or buffer something splits. At least 8: with less, carving
  // fills nodes faster than healing can merge them (docs/dag.md).
  size_t fanout = 16;
  // Where more runs lie on top of each other they are made fewer (compact.h).
  size_t runs = 8;
};

}  // namespace betr::dag
