// SPDX-License-Identifier: Apache-2.0
// The part of the checker that looks at one link home.
#pragma once

#include <string>

#include "fs/check/check_context.h"

namespace betr::fs {

// Checks all groups of a home against their names. These are the names that the home lists, if they are references to
// the group, and those that the scan has met and not found listed (check_unlisted.h). Requires: the scan is over. By
// the list alone, a group whose names are not listed would look like one without names.
//
// Memory: a fixed number of groups is counted at a time.
absl::Status CheckHome(CheckContext* context, const std::string& content);

}  // namespace betr::fs
