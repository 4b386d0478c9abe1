// SPDX-License-Identifier: Apache-2.0
// Ends a log before what is damaged in it, so that what comes before can be replayed.
#pragma once

#include <absl/status/statusor.h>

#include <cstdint>

#include "store/log_scan.h"

namespace betr::store {

struct LogCut {
  uint64_t frames = 0;   // that are still in the area and will not be replayed
  uint64_t records = 0;  // in those of them that are whole
};

// Erases the header of the frame that holds record `from`, or, if damage comes first, of that where the log cannot be
// read on, and those of all later frames. Durable when it returns. Writes whole blocks.
// Errors: the device's.
absl::StatusOr<LogCut> CutLog(BlockDevice& device, const LogArea& area, uint64_t salt, const LogPosition& start,
                              Lsn from);

}  // namespace betr::store
