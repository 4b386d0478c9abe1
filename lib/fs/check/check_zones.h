// SPDX-License-Identifier: Apache-2.0
// The part of the checker for zones (zones.h), once the scan of "meta" has met all that are in reach.
#pragma once

#include <absl/status/status.h>

#include "fs/check/check_context.h"

namespace betr::fs {

// Reports zones of which no directory is the root; a salvage gives them one in /lost+found. Also reports a version of
// the file system that knows no zones while there are some.
absl::Status CheckZones(CheckContext* context);

}  // namespace betr::fs
