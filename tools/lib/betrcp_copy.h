// SPDX-License-Identifier: Apache-2.0
// betrcp between the host and an image.
#pragma once

#include "betrcp_options.h"

namespace betr::tools {

// SRC... DST: one side on the host, one inside. Returns an exit code.
int CopyFiles(Tool& tool, const BetrcpOptions& options);

// --tar ARCHIVE :/path, or :/path ARCHIVE. Returns an exit code.
int CopyTar(Tool& tool, const BetrcpOptions& options);

}  // namespace betr::tools
