// SPDX-License-Identifier: Apache-2.0
// Says which names, and which bytes of which files, are gone with a range of keys.
#pragma once

#include <absl/functional/function_ref.h>
#include <absl/status/status.h>

#include <string>

#include "betr/store.h"
#include "store/salvage.h"

namespace betr::fs {

// Calls `say` with a line for each range of names, and for each file of whose content something was there. Holes are
// not known: bytes that were never written count. At most `limit` lines; returns how many there were.
// Requires: the store can be read. Errors: of reading it.
absl::StatusOr<uint64_t> DescribeLoss(const Store& store, const store::LostRange& lost, uint64_t limit,
                                      absl::FunctionRef<void(const std::string&)> say);

}  // namespace betr::fs
