// SPDX-License-Identifier: Apache-2.0
// The checkpoints of an image that is not open as a store: what repairs and trimming write.
//
// One thread.
#pragma once

#include <absl/status/status.h>

#include "layout/catalog_codec.h"
#include "store/offline/inspect.h"
#include "store/state.h"

namespace betr::store {

// Makes the present checkpoint durable. Whoever writes over, or discards, what only the checkpoint before it needs
// calls this first. Cost: one write and a flush. Errors: the device's.
absl::Status ConfirmCheckpoint(Inspection& image);

// Makes `state` the next checkpoint, and the one that both superblocks and the copy name. The log stays as it is. A
// catalog without an address is written anew. Afterwards `image` still shows the checkpoint before it. Errors: the
// device's; no space.
absl::Status WriteCheckpoint(Inspection& image, StatePtr state, layout::StoredCatalog catalog);

}  // namespace betr::store
