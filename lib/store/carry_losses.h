// SPDX-License-Identifier: Apache-2.0
// What a checkpoint has lost is not yet what is missing in the end. Its log moves lost keys, shows them in other
// places, and writes some of them anew. This follows lost keys through the log, change by change, as replay does with
// the keys.
#pragma once

#include <absl/status/statusor.h>

#include <vector>

#include "store/inspect.h"
#include "store/lost_range.h"

namespace betr::store {

// The ranges that are of the checkpoint become those that show what is lost once the log is replayed; the others stay.
// A key to which something was added (an upsert) stays lost. Where there would be more than `limit` ranges, keys that
// were written are said and not left out, and clones get partial ranges. Requires: the log can be replayed to its end.
// Errors: the device's; kDataLoss if the log is damaged. Cost: a scan of the log. Memory: some hundred bytes for each
// range, and for each clone in the log that shows something lost.
absl::StatusOr<std::vector<LostRange>> CarryThroughLog(Inspection& image, std::vector<LostRange> lost,
                                                       size_t limit = kMaxLostRanges);

}  // namespace betr::store
