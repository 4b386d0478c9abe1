// SPDX-License-Identifier: Apache-2.0
// Reads all that an image uses, in the order of the device and in large pieces, and verifies every checksum. What is
// wrong although its checksum is right is the business of CheckStore.
#pragma once

#include <absl/status/status.h>

#include <cstdint>

#include "store/offline/check_store.h"

namespace betr::store {

struct ScrubFigures {
  uint64_t extents = 0;
  uint64_t blocks = 0;
  Bytes read{0};
};

// Reports findings of the kind `unreadable`. Errors of the device are findings. Table pages and the catalog were
// verified when the image was opened. Memory: one extent, or 4 MiB. Errors: kCancelled.
absl::StatusOr<ScrubFigures> ScrubStore(Inspection& image, const ReportFinding& report);

}  // namespace betr::store
