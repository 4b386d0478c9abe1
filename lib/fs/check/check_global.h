// SPDX-License-Identifier: Apache-2.0
// The part of the checker for the root, and for the keys that concern the file system as a whole.
#pragma once

#include <absl/status/status.h>

#include <string_view>

#include "fs/check/check_context.h"
#include "fs/check/check_directory.h"
#include "fs/key.h"

namespace betr::fs {

// Checks orphans, and what interrupted operations have left.
void CheckGlobal(CheckContext* context, const key::MetaKey& parsed, std::string_view key, std::string_view value);

// Checks the record of the root, which has no entry to visit.
absl::Status CheckRootRecord(CheckContext* context, CheckedDirectory* root);

}  // namespace betr::fs
