// SPDX-License-Identifier: Apache-2.0
// An upsert function that is written in C.
#pragma once

#include <absl/status/status.h>

#include <span>

#include "betr/c.h"
#include "betr/upsert.h"

namespace betr::c {

// Adds what callers describe. Each description's `release` is called once in any case: now, if it is not added, or when
// the last copy of the registry goes. kInvalidArgument without a name or `apply`; else as UpsertRegistry::Add.
absl::Status AddFunctions(std::span<const betr_upsert_function> functions, UpsertRegistry& registry);

}  // namespace betr::c
