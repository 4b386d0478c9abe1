// SPDX-License-Identifier: Apache-2.0
// How many files this process may have open.
#pragma once

namespace betr::replay {

// Raises the limit as far as allowed. A trace, or the files that -ff makes, may need more than a shell allows by
// default.
void RaiseDescriptorLimit();

}  // namespace betr::replay
