// SPDX-License-Identifier: Apache-2.0
// betrcp --list.
#pragma once

#include "betrcp_options.h"

namespace betr::tools {

// Prints one line per entry: the name or, with -R, the path from the directory that is listed. With -l, mode, links,
// owner, group, size and modification time come before it, as in ls -ln. Returns an exit code.
int ListInside(Tool& tool, const BetrcpOptions& options);

}  // namespace betr::tools
