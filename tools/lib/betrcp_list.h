// SPDX-License-Identifier: Apache-2.0
// betrcp --list.
#pragma once

#include "betrcp_options.h"

namespace betr::tools {

// One line per entry: the name, or with -R the path from the directory that is listed; with -l mode, links, owner,
// group, size and time of modification before it, as ls -ln does. Returns an exit code.
int ListInside(Tool& tool, const BetrcpOptions& options);

}  // namespace betr::tools
