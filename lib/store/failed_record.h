// SPDX-License-Identifier: Apache-2.0
// Which log record it was that could not be replayed. Goes with the error of opening the store, so that a repair knows
// where to cut the log (offline/repair_image.h).
#pragma once

#include <absl/status/status.h>

#include <optional>

#include "base/units.h"

namespace betr::store {

// The log record at which opening a store failed. Nothing if the reason was not the record but the device or a lack of
// space.
std::optional<Lsn> FailedLogRecord(const absl::Status& status);
// Marks an error as one of that record.
absl::Status WithLogRecord(absl::Status status, Lsn lsn);

}  // namespace betr::store
