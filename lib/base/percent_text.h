// SPDX-License-Identifier: Apache-2.0
// Shares as people write and read them. Pure.
#pragma once

#include <absl/status/statusor.h>

#include <string>
#include <string_view>

#include "base/units.h"

namespace betr {

// Parses "5", "5%", "0.25 %": digits, perhaps one or two after a point, perhaps a space, perhaps a percent sign. At
// most 100. Errors: kInvalidArgument for anything else.
absl::StatusOr<BasisPoints> ParsePercent(std::string_view text);

// "5 %", "0.25 %".
std::string FormatPercent(BasisPoints share);

}  // namespace betr
