// SPDX-License-Identifier: Apache-2.0
// The option --reserve of the tools that make and tune an image.
#pragma once

#include <absl/status/statusor.h>

#include <functional>
#include <string>

#include "base/units.h"
#include "tool.h"

namespace betr::tools {

// Adds --reserve PERCENT|default. `set` is called with the share; 0 is the default. The command line is wrong if the
// value is not a share, if it is more than an image may keep, or if it is no share at all. The last is refused because
// what a full store needs is kept anyway.
void AddReserve(Tool* tool, std::function<void(BasisPoints)> set, const std::string& help);

}  // namespace betr::tools
