// SPDX-License-Identifier: Apache-2.0
// What the checker has found sound and need not walk again: directories whose content is, node for node, that of a
// directory checked before, as in clones. So the cost of a check grows with what differs between clones.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <array>
#include <cstdint>
#include <string_view>

#include "fs/check/check.h"

namespace betr::fs {

class CheckContext;

// What a scan would have counted in a directory.
struct SoundTotals {
  uint64_t files = 0;
  uint64_t directories = 0;
  uint64_t blocks = 0;
  uint64_t subdirectories = 0;  // of the directory itself
  size_t reach = 0;             // of the longest key below it, without the content prefix
};

// A digest of what lies below a directory in both trees.
using SubtreeDigest = std::array<uint64_t, 2>;

// One for each scan. Memory: proportional to the number of directories that lie in shared nodes.
using SoundSubtrees = absl::flat_hash_map<SubtreeDigest, SoundTotals>;

}  // namespace betr::fs
