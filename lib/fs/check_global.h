// SPDX-License-Identifier: Apache-2.0
// What the checker has to say of the keys that concern the file system as a whole, and of the root.
#pragma once

#include <absl/status/status.h>

#include <string_view>

#include "fs/check_context.h"
#include "fs/check_directory.h"
#include "fs/key.h"

namespace betr::fs {

// Orphans, and what operations that were interrupted have left.
void CheckGlobal(CheckContext* context, const key::MetaKey& parsed, std::string_view key, std::string_view value);

// The root has no entry to visit.
absl::Status CheckRootRecord(CheckContext* context, CheckedDirectory* root);

}  // namespace betr::fs
