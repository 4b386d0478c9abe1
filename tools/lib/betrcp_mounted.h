// SPDX-License-Identifier: Apache-2.0
// betrcp --clone on paths of a mounted image: the mount makes the clone.
#pragma once

#include "betrcp_options.h"

namespace betr::tools {

// Whether the operands of a command inside an image name none, so that they must be paths on a mount.
bool NamesNoImage(const Tool& tool, const BetrcpOptions& options);

// Returns an exit code. Requires: CommandOf(options) said kClone.
int CloneOnMount(Tool& tool, const BetrcpOptions& options);

}  // namespace betr::tools
