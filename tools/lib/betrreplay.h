// SPDX-License-Identifier: Apache-2.0
// betrreplay: replays what strace saw on an image or in a directory.
#pragma once

#include "tool_io.h"

namespace betr::tools {

// The whole program. Returns its exit code.
int BetrreplayMain(Arguments args, ToolIo& io);

}  // namespace betr::tools
