// SPDX-License-Identifier: Apache-2.0
// The figures of a mount as it is now, as BETR_IOC_STATS gives them.
#pragma once

#include "betr/filesystem.h"
#include "json_output.h"

namespace betr::fuse {

// A document of the kind "mount": what the store has counted since it was mounted ("counters"), and its space
// ("space"). No I/O.
tools::Json MountStatsJson(FileSystem& fs);

}  // namespace betr::fuse
