// SPDX-License-Identifier: Apache-2.0
// Names may hold bytes that a terminal takes for commands.
#pragma once

#include <string>
#include <string_view>

namespace betr::tools {

// The text itself, unless it goes to a terminal: then Legible (base/escape.h).
std::string ShownText(std::string_view text, bool is_terminal);

}  // namespace betr::tools
