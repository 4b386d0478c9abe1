// SPDX-License-Identifier: Apache-2.0
// fsck.betr --undo-apply.
#pragma once

#include "fsck_options.h"
#include "tool.h"

namespace betr::tools {

// Puts back what --undo kept. Returns the exit code.
int ApplyUndo(Tool& tool, const FsckOptions& options);

}  // namespace betr::tools
