// SPDX-License-Identifier: Apache-2.0
// Errors of standard library streams: they only say that they failed, and errno says why.
#pragma once

#include <absl/status/status.h>

#include <string>

namespace betr::tools {

// Returns why a file stream to `path` failed. `error` is errno right after that, or 0 if it was 0 before and still is.
absl::Status WriteError(const std::string& path, int error);

}  // namespace betr::tools
