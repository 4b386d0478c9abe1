// SPDX-License-Identifier: Apache-2.0
// betrdump --mounted DIR stat: the figures of a mounted image, from the mount itself.
#pragma once

#include <string>

#include "tool.h"

namespace betr::tools {

// Prints the figures, as text or JSON. Returns an exit code: kExitFailed if `directory` is not on a mount of betr.
int DumpMounted(Tool& tool, const std::string& directory);

}  // namespace betr::tools
