// SPDX-License-Identifier: Apache-2.0
// The part of the checker that looks at one link home.
#pragma once

#include <string>

#include "fs/check_context.h"

namespace betr::fs {

// Checks all groups of a home and the list of their names. That every reference is listed is checked where the
// reference is. Memory: a fixed number of groups is counted at a time.
absl::Status CheckHome(CheckContext* context, const std::string& content);

}  // namespace betr::fs
