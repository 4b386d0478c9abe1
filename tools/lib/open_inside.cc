// SPDX-License-Identifier: Apache-2.0
#include "open_inside.h"

#include <cerrno>

#include "base/status.h"
#include "betr/fs_error.h"
#include "location.h"

namespace betr::tools {

absl::StatusOr<OpenFile> OpenInside(PathFileSystem& paths, const std::string& path) {
  BETR_ASSIGN_OR_RETURN(OpenFile file, paths.Open(path));
  const bool fits = file.attributes().type == FileType::kDirectory || !MeansDirectory(path);
  if (!fits) return ErrnoError(ENOTDIR, path);
  return file;
}

}  // namespace betr::tools
