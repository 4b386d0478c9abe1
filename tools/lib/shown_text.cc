// SPDX-License-Identifier: Apache-2.0
#include "shown_text.h"

#include "base/escape.h"
#include "json_output.h"

namespace betr::tools {
namespace {

// Whether a terminal shows all of it as letters: UTF-8 without control characters, of which U+0080 to U+009F are some.
bool IsPrintable(std::string_view text) {
  for (size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const bool is_high_control = byte == 0xc2 && i + 1 < text.size() && static_cast<unsigned char>(text[i + 1]) < 0xa0;
    if (byte < 0x20 || byte == 0x7f || is_high_control) return false;
  }
  return IsUtf8(text);
}

}  // namespace

std::string ShownText(std::string_view text, bool is_terminal) {
  return !is_terminal || IsPrintable(text) ? std::string(text) : Escape(text);
}

}  // namespace betr::tools
