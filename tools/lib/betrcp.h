// SPDX-License-Identifier: Apache-2.0
// betrcp: copies into, out of and inside an image.
#pragma once

#include "tool_io.h"

namespace betr::tools {

// The whole program. Returns its exit code.
int BetrcpMain(Arguments args, ToolIo& io);

}  // namespace betr::tools
