// SPDX-License-Identifier: Apache-2.0
// Gives free space back to the storage, portion by portion.
#pragma once

#include <absl/functional/function_ref.h>
#include <absl/status/statusor.h>

#include "betr/store.h"
#include "layout/space_map.h"

namespace betr::store {

// Calls `visit` with each portion of free space that the options want, of at most `units` units, in the order of
// addresses. Returns the sum of what `visit` returns. What was free when this began may not be any more. An error ends
// it.
using VisitPortion = absl::FunctionRef<absl::StatusOr<Bytes>(const layout::ExtentAddress&)>;
absl::StatusOr<Bytes> ForEachPortion(const layout::SpaceMap& space, const TrimOptions& options, uint32_t units,
                                     VisitPortion visit);

}  // namespace betr::store
