// SPDX-License-Identifier: Apache-2.0
// Opens what an operand names inside an image.
#pragma once

#include <absl/status/statusor.h>

#include <string>

#include "betr/path_filesystem.h"

namespace betr::tools {

// Opens the file at the path. ENOTDIR if the path means a directory and the file is not one, as POSIX demands.
// Otherwise as PathFileSystem::Open.
absl::StatusOr<OpenFile> OpenInside(PathFileSystem& paths, const std::string& path);

}  // namespace betr::tools
