// SPDX-License-Identifier: Apache-2.0
// Ablation (docs/ablations.md): deletes as in BetrFS 0.1 (Jannen et al. 2015), before there were range deletes. What a
// removal, a truncation or a hole erases is read and erased key by key. What fits into a batch is part of the
// operation's own; anything larger is erased in batches after it (pending_erases.h).
#pragma once

#include "fs/core.h"

namespace betr::fs {

// Whether the experiment is on and the batch erases ranges.
bool WantsErasesByKey(const Core& core, const WriteBatch& batch);

// Writes the batch with erases of keys instead of range erases. Two kinds of ranges are still erased by range: those
// that the batch itself has put, cloned or renamed something into before, and those that are too large for it and that
// it fills again. Writes that are still gathered, since there was no space for them, are not seen.
absl::Status WriteWithErasesByKey(Core& core, const WriteBatch& batch);

}  // namespace betr::fs
