// SPDX-License-Identifier: Apache-2.0
// Shows names safely: they may hold bytes that a terminal takes for commands.
#pragma once

#include <string>
#include <string_view>

namespace betr::tools {

// Returns the text itself or, if it goes to a terminal, Legible (base/escape.h). For texts in which names are legible
// already.
std::string ShownText(std::string_view text, bool is_terminal);

// Returns the name Legible with each backslash doubled, so that Unescape gives the name back.
std::string LegibleName(std::string_view name);

// Returns the name itself or, if it goes to a terminal, LegibleName.
std::string ShownName(std::string_view name, bool is_terminal);

}  // namespace betr::tools
