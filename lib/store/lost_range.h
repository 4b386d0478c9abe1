// SPDX-License-Identifier: Apache-2.0
// Keys of which a repair knows that something about them is gone.
#pragma once

#include <string>

#include "betr/bound.h"

namespace betr::store {

struct LostRange {
  std::string tree;  // its name; "" if nobody knows of which
  Range range;
  bool changes_only = false;  // the latest changes are gone; older contents show
  std::string why;            // names the structure and its place
};

// No list of them is longer, so that a repair needs no unbounded memory.
inline constexpr size_t kMaxLostRanges = 100'000;

}  // namespace betr::store
