// SPDX-License-Identifier: Apache-2.0
// Ablation (docs/ablations.md): what renames cost with zones, as in BetrFS 0.2 and 0.3 (Yuan et al. 2016). A zone there
// is a subtree of about a target size with a key prefix of its own: renaming its root changes a pointer; what is
// smaller lies in the zone of its parent and is copied.
//
// Here what is larger than a zone is renamed by range, which stands for the change of a pointer. Not here: keys that
// are relative to zones, and so what zones cost scans.
#pragma once

#include <span>

#include "fs/mover.h"

namespace betr::fs {

// Whether all that is to be moved, by estimate, is not more than a zone. Hands over what is gathered, and reads
// O(height) nodes. Errors: the store's.
absl::StatusOr<bool> FitIntoZone(Core& core, Bytes zone_size, std::span<const PrefixMove> moves);

}  // namespace betr::fs
