// SPDX-License-Identifier: Apache-2.0
// What betrcp is told not to copy.
#pragma once

#include <absl/status/statusor.h>

#include "betrcp_options.h"
#include "fs/exclusions.h"

namespace betr::tools {

// All patterns of --exclude, and of the files of --exclude-from: one a line; empty lines, and those that begin with #,
// are none. Errors name the file and the line.
absl::StatusOr<fs::Exclusions> ExclusionsOf(const BetrcpOptions& options);

}  // namespace betr::tools
