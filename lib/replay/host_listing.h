// SPDX-License-Identifier: Apache-2.0
// The listing of a directory of the host.
#pragma once

#include <absl/status/statusor.h>

#include <string>

#include "replay/manifest.h"

namespace betr::replay {

// Lists a directory. `descriptor` is open for it. `path` is for messages. `root` is what the listing calls it.
absl::StatusOr<Manifest> ListHost(int descriptor, const std::string& path, const std::string& root);

}  // namespace betr::replay
