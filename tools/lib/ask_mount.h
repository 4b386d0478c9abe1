// SPDX-License-Identifier: Apache-2.0
// Live figures of a mounted image (betr/mount_ioctl.h).
#pragma once

#include <absl/status/statusor.h>

#include <string>

#include "json_output.h"

namespace betr::tools {

// Returns what the mount that `descriptor` is on says of itself. kFailedPrecondition if it is not a mount of betr.
// `path` is for messages.
absl::StatusOr<Json> AskMount(int descriptor, const std::string& path);

}  // namespace betr::tools
