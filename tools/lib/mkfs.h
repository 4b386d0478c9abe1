// SPDX-License-Identifier: Apache-2.0
// mkfs.betr: makes a file system and, if asked to, fills it.
#pragma once

#include "tool_io.h"

namespace betr::tools {

// The whole program. Returns its exit code.
int MkfsMain(Arguments args, ToolIo& io);

}  // namespace betr::tools
