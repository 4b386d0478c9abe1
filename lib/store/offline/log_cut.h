// SPDX-License-Identifier: Apache-2.0
// Ends a log before what is damaged in it, so that what comes before can be replayed.
#pragma once

#include <absl/status/statusor.h>

#include <cstdint>

#include "store/log/log.h"

namespace betr::store {

struct LogCut {
  uint64_t frames = 0;   // that are still in the area and will not be replayed
  uint64_t records = 0;  // in those of them that are whole
};

// Erases all frames that are not read before block number `end`; `end` is as of Log::SoundEnd. Durable on return.
// Writes whole blocks, after all have been read. Errors: the device's.
absl::StatusOr<LogCut> CutLog(BlockDevice& device, const LogArea& area, uint64_t salt, const LogPosition& start,
                              uint64_t end);

}  // namespace betr::store
