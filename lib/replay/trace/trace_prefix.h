// SPDX-License-Identifier: Apache-2.0
// What strace prints in front of an event: process, time, and numbers that replay does not need.
#pragma once

#include <string_view>

#include "replay/trace/trace_line.h"

namespace betr::replay {

// Sets pid, clock and time of `line`. Returns what follows the prefix.
std::string_view ParsePrefix(std::string_view text, TraceLine* line);

// Returns the size of the name of a call with which the text begins; 0 if it does not, or has no parenthesis behind it.
size_t NameSize(std::string_view text);

}  // namespace betr::replay
