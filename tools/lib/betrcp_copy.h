// SPDX-License-Identifier: Apache-2.0
// Copies of betrcp between the host and an image.
#pragma once

#include "betrcp_options.h"

namespace betr::tools {

// Copies for SRC... DST, where one side is on the host and one in the image. Returns an exit code.
int CopyFiles(Tool& tool, const BetrcpOptions& options);

// Copies for --tar ARCHIVE :/path, or :/path ARCHIVE. Returns an exit code.
int CopyTar(Tool& tool, const BetrcpOptions& options);

}  // namespace betr::tools
