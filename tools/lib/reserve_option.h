// SPDX-License-Identifier: Apache-2.0
// The option --reserve of who makes and who tunes an image.
#pragma once

#include <absl/status/statusor.h>

#include <functional>
#include <string>

#include "base/units.h"
#include "tool.h"

namespace betr::tools {

// --reserve PERCENT|default: `set` is told the share; 0 is the default. What is no share, more than an image may keep,
// or none at all, since what a full store needs is kept anyway, is a wrong command line.
void AddReserve(Tool* tool, std::function<void(BasisPoints)> set, const std::string& help);

}  // namespace betr::tools
