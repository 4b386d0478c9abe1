// SPDX-License-Identifier: Apache-2.0
// How many files this process may have open.
#pragma once

namespace betr::replay {

// As many as it may: a trace may have more than a shell allows by default, as may what -ff makes.
void RaiseDescriptorLimit();

}  // namespace betr::replay
