// SPDX-License-Identifier: Apache-2.0
#include "shown_text.h"

#include <absl/strings/str_replace.h>

#include "base/escape.h"

namespace betr::tools {

std::string ShownText(std::string_view text, bool is_terminal) {
  return is_terminal ? Legible(text) : std::string(text);
}

std::string LegibleName(std::string_view name) {
  std::string legible = Legible(name);
  return legible == name ? absl::StrReplaceAll(legible, {{"\\", "\\\\"}}) : legible;
}

std::string ShownName(std::string_view name, bool is_terminal) {
  return is_terminal ? LegibleName(name) : std::string(name);
}

}  // namespace betr::tools
