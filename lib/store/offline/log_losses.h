// SPDX-License-Identifier: Apache-2.0
// Finds what is lost with the end of a log that is cut: the keys that its records would have changed.
#pragma once

#include <absl/status/statusor.h>

#include <cstdint>
#include <vector>

#include "store/offline/inspect.h"
#include "store/offline/lost_range.h"

namespace betr::store {

// The keys that the records from block number `end` on would have changed, without those records that the checkpoint
// contains, in the order of the log. What cannot be read, and what does not fit into kMaxLostRanges, is a range of tree
// "". Reads the rest of the log's area and writes nothing. Errors: the device's.
absl::StatusOr<std::vector<LostRange>> FindLogLosses(Inspection& image, uint64_t end);

}  // namespace betr::store
