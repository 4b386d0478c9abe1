// SPDX-License-Identifier: Apache-2.0
// What differs between two listings.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "replay/interpret/manifest.h"

namespace betr::replay {

struct Comparison {
  std::vector<std::string> differences;  // "PATH: mode 0644 instead of 0600"
  std::vector<std::string> explained;    // those that the trace cannot decide
  std::optional<bool> is_digest_equal;   // with the first line of the expected listing, if it has one

  bool IsEqual() const { return differences.empty() && is_digest_equal.value_or(true); }
};

// Compares types, modes, sizes, targets, devices, and which names belong to one inode. A difference in the mode of a
// path in `unknown_modes` is explained, since the trace does not tell its value. Both listings must be in order.
Comparison Compare(const Manifest& expected, const Manifest& found, const std::set<std::string>& unknown_modes);

}  // namespace betr::replay
