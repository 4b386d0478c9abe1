// SPDX-License-Identifier: Apache-2.0
// The largest keys, bounds, values and names, and the largest number of trees.
#pragma once

#include <cstddef>

#include "betr/units.h"

namespace betr {

// Of keys passed in. Clones and renames may make longer keys.
inline constexpr Bytes kMaxKeySize = KiB(16);
// Of the bounds of an erased range, which may thus end right behind any key.
inline constexpr Bytes kMaxRangeBoundSize = kMaxKeySize + Bytes{1};
// Of values passed in, and of those that an upsert function makes.
inline constexpr Bytes kMaxValueSize = MiB(1);
// Of the names of trees and of upsert functions. No name is empty.
inline constexpr Bytes kMaxTreeNameSize{255};
inline constexpr Bytes kMaxFunctionNameSize{64};
// Trees and snapshots of an image together. A checkpoint writes the list of all if one was made, dropped or changed
// since the last checkpoint.
inline constexpr size_t kMaxTrees = 1 << 20;

}  // namespace betr
