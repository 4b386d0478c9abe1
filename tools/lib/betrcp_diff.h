// SPDX-License-Identifier: Apache-2.0
// betrcp --diff.
#pragma once

#include "betrcp_options.h"

namespace betr::tools {

// Prints one line for each name in which the two operands differ: A, D, T or M, and the path below them. With -l also
// prints what differs. Returns an exit code.
int DiffInside(Tool& tool, const BetrcpOptions& options);

// The same for files or directories on a mount. The mount compares them.
int DiffOnMount(Tool& tool, const BetrcpOptions& options);

}  // namespace betr::tools
