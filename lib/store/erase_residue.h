// SPDX-License-Identifier: Apache-2.0
// Makes deletes that leave nothing behind which takes space for good (dag/change/residue.h). On a full store they may
// use more of the reserve than other deletes (headroom.h). So whatever was erased before, something can be erased that
// makes room.
#pragma once

#include <absl/status/statusor.h>

#include <optional>
#include <span>
#include <vector>

#include "betr/upsert.h"
#include "betr/write_batch.h"
#include "store/fronts.h"

namespace betr::store {

// A batch that makes the store no larger for good. It is applied instead of the batch that it was made of, which is the
// one in the log. Both show the same.
struct PlainDelete {
  std::vector<Op> ops;
  bool replaces = false;  // some erases take the place of others
};

// Returns the same batch in such a form. An erase that would leave something takes the place of those beside it, up to
// the next keys that stay. Nothing if there is no such form within the limits of a batch, if nothing is erased, or if
// the batch says more than a little besides. Requires: the view is what the batch will be applied to. Cost: for each
// erase, reads the keys around it and the path to them. Errors: reading fails. Threads: any.
absl::StatusOr<std::optional<PlainDelete>> WithoutResidue(const View& view, std::span<const Op> ops,
                                                          const UpsertRegistry& functions);

}  // namespace betr::store
