// SPDX-License-Identifier: Apache-2.0
// The figures of a mount as it is now, as BETR_IOC_STATS gives them.
#pragma once

#include "json_output.h"
#include "server.h"

namespace betr::fuse {

// A document of the kind "mount": what the store has counted since it was mounted ("counters"), its space ("space"),
// whether nothing can be written, as it was opened so or has failed ("read_only"), and what it was mounted with
// ("options"). No I/O.
tools::Json MountStatsJson(Server& server);

}  // namespace betr::fuse
