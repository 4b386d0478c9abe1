// SPDX-License-Identifier: Apache-2.0
// Clone and rename as single changes of an edit, without what a batch of a store does besides. Roots are updated in
// place; source and destination may be the same tree, if the same NodeId object is passed twice.
#pragma once

#include <absl/status/status.h>

#include <string_view>

#include "dag/edit.h"

namespace betr::test {

// The keys `to + x` become those that are `from + x` now; what was under `to` is gone.
absl::Status ClonePrefix(dag::Edit& edit, NodeId& from_root, std::string_view from, NodeId& to_root,
                         std::string_view to);

// As ClonePrefix, and then nothing is left under `from`. Requires, in one tree: `to` does not lie inside `from`.
absl::Status RenamePrefix(dag::Edit& edit, NodeId& from_root, std::string_view from, NodeId& to_root,
                          std::string_view to);

}  // namespace betr::test
