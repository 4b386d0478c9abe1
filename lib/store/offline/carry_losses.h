// SPDX-License-Identifier: Apache-2.0
// Follows lost keys through the log, change by change, as replay does with the keys. What a checkpoint has lost is not
// yet what is missing in the end: its log moves lost keys, shows them in other places, and writes some of them anew.
#pragma once

#include <absl/status/statusor.h>

#include <vector>

#include "store/offline/inspect.h"
#include "store/offline/lost_range.h"

namespace betr::store {

// Turns the ranges that are of the checkpoint into those that show what is lost once the log is replayed. The others
// stay. A key to which something was added (an upsert) stays lost. Where there would be more than `limit` ranges, keys
// that were written are no longer left out but mentioned, and clones get partial ranges. Requires: the log can be
// replayed to its end. Errors: the device's; kDataLoss if the log is damaged. Cost: a scan of the log. Memory: some
// hundred bytes for each range, and for each clone in the log that shows something lost.
absl::StatusOr<std::vector<LostRange>> CarryThroughLog(Inspection& image, std::vector<LostRange> lost,
                                                       size_t limit = kMaxLostRanges);

}  // namespace betr::store
