// SPDX-License-Identifier: Apache-2.0
// Opening what an operand names inside an image.
#pragma once

#include <absl/status/statusor.h>

#include <string>

#include "betr/path_filesystem.h"

namespace betr::tools {

// The file at the path. ENOTDIR if the path means a directory and it is none, as POSIX has it; else as
// PathFileSystem::Open.
absl::StatusOr<OpenFile> OpenInside(PathFileSystem& paths, const std::string& path);

}  // namespace betr::tools
