// SPDX-License-Identifier: Apache-2.0
// Compares stores and images with what they should hold. An error is kInternal and says what differs. It is the finding
// of a test, not a failure of the store.
#pragma once

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "betr/store.h"
#include "support/torture/model.h"

namespace betr::test {

absl::Status Finding(std::string what);

// Returns the digest of all trees of a view, read by cursors. Finds keys that do not ascend.
absl::StatusOr<uint64_t> DigestOf(Store& store, const std::shared_ptr<const ReadView>& view);

// Checks the state in memory. kUnavailable: the device does not let it be read. kDataLoss: what the device returns is
// not what was written.
absl::Status CheckOpenStore(Store& store);
// Checks what is stored.
absl::Status CheckStored(BlockDevice& device);

// Checks that after a checkpoint nothing is used but what is stored, however long the store has been open: nothing has
// leaked. Makes the checkpoint. Requires: no view is pinned; no background threads.
absl::Status CheckSpace(Store& store, BlockDevice& device);

// Returns the first difference, for messages.
std::string Difference(Store& store, const Model& model);

}  // namespace betr::test
