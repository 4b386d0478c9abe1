// SPDX-License-Identifier: Apache-2.0
// The commands of betrcp that change names inside the image, and --cat.
#pragma once

#include "betrcp_options.h"

namespace betr::tools {

// Each returns an exit code. Requires: CommandOf(options) named its command.
int CloneInside(Tool& tool, const BetrcpOptions& options);
int RenameInside(Tool& tool, const BetrcpOptions& options);
int RemoveInside(Tool& tool, const BetrcpOptions& options);
int MakeDirectories(Tool& tool, const BetrcpOptions& options);
int CatInside(Tool& tool, const BetrcpOptions& options);

}  // namespace betr::tools
