// SPDX-License-Identifier: Apache-2.0
#include "shown_text.h"

#include "base/escape.h"

namespace betr::tools {

std::string ShownText(std::string_view text, bool is_terminal) {
  return is_terminal ? Legible(text) : std::string(text);
}

}  // namespace betr::tools
