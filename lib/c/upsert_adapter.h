// SPDX-License-Identifier: Apache-2.0
// Makes upsert functions of those written in C.
#pragma once

#include <absl/status/status.h>

#include <span>

#include "betr/c.h"
#include "betr/upsert.h"

namespace betr::c {

// Adds the functions that callers describe. Each description's `release` is called exactly once: now, if the function
// is not added, otherwise when the last copy of the registry goes. Errors: kInvalidArgument without a name or `apply`;
// otherwise as UpsertRegistry::Add.
absl::Status AddFunctions(std::span<const betr_upsert_function> functions, UpsertRegistry& registry);

}  // namespace betr::c
