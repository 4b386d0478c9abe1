// SPDX-License-Identifier: Apache-2.0
// Replaces clones and renames of little. They are cheaper as points than as an edge that shows next to nothing for
// ever, and need no structural turn. The papers copy what is smaller than a node. We copy less, since what is copied is
// written again.
#pragma once

#include <absl/status/statusor.h>

#include <span>
#include <vector>

#include "betr/upsert.h"
#include "betr/write_batch.h"
#include "store/fronts.h"

namespace betr::store {

// Returns the batch with each clone and rename that makes at most `limit` bytes (keys and values) replaced by range
// erases and puts. Stops once four times `limit` was read for that, copied or not. So a batch of some bytes does not
// become one that fills the memory, or that reads one large source again for each clone of it. A change also stays as
// it is
//   - if a key would become longer than kMaxKeySize;
//   - if its source cannot be read;
//   - if an earlier change of the batch touches its source, and cannot be looked through. Such are clones and renames
//     that stay what they are, changes that make or drop the tree, and those after more points and erases than may be
//     read.
// Cost, until it stops: for each clone or rename, reads the interior nodes on the way to the source. If no whole leaf
// lies in the source and it is not known to be larger than `limit`, also reads the source, at most `limit` of it.
// Errors: reading interior nodes fails.
absl::StatusOr<std::vector<Op>> CopySmallSources(const View& view, std::span<const Op> ops, Bytes limit,
                                                 const UpsertRegistry& functions);

}  // namespace betr::store
