// SPDX-License-Identifier: Apache-2.0
// Ablation (docs/ablations.md): deletes as in BetrFS 0.1 (Jannen et al. 2015), before there were range deletes. What a
// removal, a truncation or a hole erases is read and erased key by key. What fits into a batch is part of the
// operation's own; anything larger is erased in batches after it (pending_erases.h).
#pragma once

#include "fs/core.h"

namespace betr::fs {

// Whether the experiment is on, and the batch erases ranges.
bool WantsErasesByKey(const Core& core, const WriteBatch& batch);

// Writes the batch with erases of keys instead of range erases. By range as ever goes what the batch itself has put,
// cloned or renamed before, and what is too large for it and is filled again by it. What is gathered, since there was
// no space for it, is not seen.
absl::Status WriteWithErasesByKey(Core& core, const WriteBatch& batch);

}  // namespace betr::fs
