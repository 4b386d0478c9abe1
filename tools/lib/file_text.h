// SPDX-License-Identifier: Apache-2.0
// Types and modes of files as text.
#pragma once

#include <string>
#include <string_view>

#include "betr/file_attributes.h"

namespace betr::tools {

// "file", "directory", "symlink", ...
std::string_view TypeName(FileType type);

// As ls(1) shows it: "drwxr-sr-x".
std::string ModeText(const FileAttributes& attributes);

}  // namespace betr::tools
