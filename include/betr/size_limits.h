// SPDX-License-Identifier: Apache-2.0
// How large keys, bounds, values and names may be, and how many trees there may be.
#pragma once

#include <cstddef>

#include "betr/units.h"

namespace betr {

// Of what is given: clones and renames may make keys that are longer.
inline constexpr Bytes kMaxKeySize = KiB(16);
// Of the bounds of a range that is erased: it may end right behind any key.
inline constexpr Bytes kMaxRangeBoundSize = kMaxKeySize + Bytes{1};
// Of what is given, and of what an upsert function makes.
inline constexpr Bytes kMaxValueSize = MiB(1);
// Of a tree, and of an upsert function; none is empty.
inline constexpr Bytes kMaxTreeNameSize{255};
inline constexpr Bytes kMaxFunctionNameSize{64};
// Trees and snapshots of an image together: each checkpoint before which one was made, dropped or changed writes the
// list of all.
inline constexpr size_t kMaxTrees = 1 << 20;

}  // namespace betr
