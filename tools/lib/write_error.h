// SPDX-License-Identifier: Apache-2.0
// Streams of the standard library say that they failed, and errno says why.
#pragma once

#include <absl/status/status.h>

#include <string>

namespace betr::tools {

// Why a file stream to `path` failed: `error` is errno behind that, 0 if it was so before and still is.
absl::Status WriteError(const std::string& path, int error);

}  // namespace betr::tools
