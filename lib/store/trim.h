// SPDX-License-Identifier: Apache-2.0
// Giving free space back to the storage, portion by portion.
#pragma once

#include <absl/functional/function_ref.h>
#include <absl/status/statusor.h>

#include "betr/store.h"
#include "layout/space_map.h"

namespace betr::store {

// Calls `visit` with each portion of free space that the options want, of at most so many units, in the order of
// addresses, and adds up what it returns. What was free when this began may not be any more. An error ends it.
using VisitPortion = absl::FunctionRef<absl::StatusOr<Bytes>(const layout::ExtentAddress&)>;
absl::StatusOr<Bytes> ForEachPortion(const layout::SpaceMap& space, const TrimOptions& options, uint32_t units,
                                     VisitPortion visit);

// Of Store::TrimImage what comes after opening and locking. `device` as layout::ReadToOpen has let it pass.
absl::StatusOr<Bytes> TrimImage(BlockDevice& device, const TrimOptions& options);

}  // namespace betr::store
