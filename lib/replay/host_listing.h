// SPDX-License-Identifier: Apache-2.0
// The listing of a directory of the host.
#pragma once

#include <absl/status/statusor.h>

#include <string>

#include "replay/confined_directory.h"
#include "replay/interpret/manifest.h"

namespace betr::replay {

// Lists a directory. `path` is for messages. `root` is what the listing calls it.
absl::StatusOr<Manifest> ListHost(const ConfinedDirectory& host, const std::string& path, const std::string& root);

}  // namespace betr::replay
