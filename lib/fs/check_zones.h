// SPDX-License-Identifier: Apache-2.0
// What the checker has to say of zones (zones.h) when the scan of "meta" has met all that are in reach.
#pragma once

#include <absl/status/status.h>

#include "fs/check_context.h"

namespace betr::fs {

// Zones that no directory is the root of are reported: a salvage gives them one in /lost+found. So is a version of the
// file system that knows no zones while there are some.
absl::Status CheckZones(CheckContext* context);

}  // namespace betr::fs
