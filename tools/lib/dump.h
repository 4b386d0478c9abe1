// SPDX-License-Identifier: Apache-2.0
// betrdump: shows every structure of an image, as text, as JSON or as a drawing.
#pragma once

#include "tool_io.h"

namespace betr::tools {

// The whole program. Returns its exit code.
int DumpMain(Arguments args, ToolIo& io);

}  // namespace betr::tools
