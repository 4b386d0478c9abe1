// SPDX-License-Identifier: Apache-2.0
// Names may hold bytes that a terminal takes for commands.
#pragma once

#include <string>
#include <string_view>

namespace betr::tools {

// The text itself, unless it goes to a terminal: then Legible (base/escape.h). For texts in which names are so already.
std::string ShownText(std::string_view text, bool is_terminal);

// Legible with each backslash doubled, so that Unescape gives the name back.
std::string LegibleName(std::string_view name);

// The name itself, unless it goes to a terminal: then LegibleName.
std::string ShownName(std::string_view name, bool is_terminal);

}  // namespace betr::tools
