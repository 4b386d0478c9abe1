// SPDX-License-Identifier: Apache-2.0
// betrcp --du: the space that files and directories take, alone and together.
#pragma once

#include "betrcp_options.h"

namespace betr::tools {

// Returns an exit code: what cannot be told does not keep the others from it.
int DuInside(Tool& tool, const BetrcpOptions& options);

// The same of paths on a mount, which tells it.
int DuOnMount(Tool& tool, const BetrcpOptions& options);

}  // namespace betr::tools
