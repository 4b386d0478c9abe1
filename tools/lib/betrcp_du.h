// SPDX-License-Identifier: Apache-2.0
// betrcp --du: the space that files and directories take, alone and together.
#pragma once

#include "betrcp_options.h"

namespace betr::tools {

// Prints the space of each operand that can be told, whatever becomes of the others. Returns an exit code.
int DuInside(Tool& tool, const BetrcpOptions& options);

// The same for paths on a mount. The mount tells their space.
int DuOnMount(Tool& tool, const BetrcpOptions& options);

}  // namespace betr::tools
