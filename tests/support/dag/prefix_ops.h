// SPDX-License-Identifier: Apache-2.0
// Clone and rename as single changes of an edit, without what else a batch of a store does. Roots are updated in place.
// Source and destination may be the same tree, if the same NodeId object is passed twice.
#pragma once

#include <absl/status/status.h>

#include <string_view>

#include "dag/change/edit.h"

namespace betr::test {

// Makes the keys `to + x` what `from + x` are now. What was under `to` is gone.
absl::Status ClonePrefix(dag::Edit& edit, NodeId& from_root, std::string_view from, NodeId& to_root,
                         std::string_view to);

// As ClonePrefix, but leaves nothing under `from`. Requires: within one tree, `to` does not lie inside `from`.
absl::Status RenamePrefix(dag::Edit& edit, NodeId& from_root, std::string_view from, NodeId& to_root,
                          std::string_view to);

}  // namespace betr::test
