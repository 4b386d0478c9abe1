// SPDX-License-Identifier: Apache-2.0
// What differs between two listings.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "replay/manifest.h"

namespace betr::replay {

struct Comparison {
  std::vector<std::string> differences;  // "PATH: mode 0644 instead of 0600"
  std::vector<std::string> explained;    // those that the trace cannot decide
  bool is_digest_equal = true;           // with the first line of the expected listing, if it has one
};

// Types, modes, sizes, targets, devices, and which names belong to one inode. A mode of a path in `unknown_modes` is
// explained: the trace does not tell its value. Both listings are in order.
Comparison Compare(const Manifest& expected, const Manifest& found, const std::set<std::string>& unknown_modes);

}  // namespace betr::replay
