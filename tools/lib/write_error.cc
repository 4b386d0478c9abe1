// SPDX-License-Identifier: Apache-2.0
#include "write_error.h"

#include "betr/fs_error.h"

namespace betr::tools {

absl::Status WriteError(const std::string& path, int error) {
  return ErrnoError(error == 0 ? EIO : error, path + ": cannot be written");
}

}  // namespace betr::tools
