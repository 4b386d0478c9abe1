// SPDX-License-Identifier: Apache-2.0
// betrcp --diff.
#pragma once

#include "betrcp_options.h"

namespace betr::tools {

// One line for each name in which the two operands differ: A, D, T or M and the path below them; with -l also what
// differs. Returns an exit code.
int DiffInside(Tool& tool, const BetrcpOptions& options);

// The same of files or directories on a mount, which compares them.
int DiffOnMount(Tool& tool, const BetrcpOptions& options);

}  // namespace betr::tools
