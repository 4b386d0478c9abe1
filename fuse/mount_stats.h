// SPDX-License-Identifier: Apache-2.0
// The current figures of a mount, as BETR_IOC_STATS gives them.
#pragma once

#include "json_output.h"
#include "server.h"

namespace betr::fuse {

// Returns a document of the kind "mount". "counters": what the store has counted since it was mounted. "space": its
// space. "read_only": whether nothing can be written, because it was opened so or has failed. "options": what it was
// mounted with. No I/O.
tools::Json MountStatsJson(Server& server);

}  // namespace betr::fuse
