// SPDX-License-Identifier: Apache-2.0
// betrdump --mounted DIR stat: the figures of an image while it is mounted, from the mount itself.
#pragma once

#include <string>

#include "tool.h"

namespace betr::tools {

// Prints them, as text or JSON; an exit code. kExitFailed if `directory` is not on a mount of betr.
int DumpMounted(Tool& tool, const std::string& directory);

}  // namespace betr::tools
