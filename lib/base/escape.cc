// SPDX-License-Identifier: Apache-2.0
#include "base/escape.h"

#include <absl/strings/str_format.h>

#include <cstdint>
#include <optional>

namespace betr {
namespace {

constexpr std::string_view kDigits = "0123456789abcdef";

void PutHex(char byte, std::string* out) {
  out->push_back(kDigits[static_cast<uint8_t>(byte) >> 4]);
  out->push_back(kDigits[static_cast<uint8_t>(byte) & 15]);
}

std::optional<int> DigitValue(char digit) {
  if (digit >= '0' && digit <= '9') return digit - '0';
  if (digit >= 'a' && digit <= 'f') return digit - 'a' + 10;
  if (digit >= 'A' && digit <= 'F') return digit - 'A' + 10;
  return std::nullopt;
}

// The byte that the first two characters spell.
std::optional<char> ByteOf(std::string_view text) {
  if (text.size() < 2) return std::nullopt;
  const std::optional<int> high = DigitValue(text[0]);
  const std::optional<int> low = DigitValue(text[1]);
  if (!high || !low) return std::nullopt;
  return static_cast<char>(*high * 16 + *low);
}

}  // namespace

std::string Escape(std::string_view bytes) {
  std::string text;
  text.reserve(bytes.size());
  for (const char byte : bytes) {
    if (byte == '\\') {
      text += "\\\\";
    } else if (byte >= ' ' && byte <= '~') {
      text += byte;
    } else {
      text += "\\x";
      PutHex(byte, &text);
    }
  }
  return text;
}

absl::StatusOr<std::string> Unescape(std::string_view text) {
  std::string bytes;
  bytes.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\') {
      bytes += text[i];
      continue;
    }
    const char kind = i + 1 < text.size() ? text[i + 1] : '\0';
    const std::optional<char> byte = kind == '\\'  ? '\\'
                                     : kind == 'x' ? ByteOf(text.substr(i + 2))
                                                   : std::optional<char>();
    if (!byte) {
      return absl::InvalidArgumentError(
          absl::StrFormat("'%s': the backslash at character %u begins neither \\\\ nor \\xNN", text, i));
    }
    bytes += *byte;
    i += kind == 'x' ? 3 : 1;
  }
  return bytes;
}

std::string FormatHex(std::string_view bytes) {
  std::string text;
  text.reserve(bytes.size() * 2);
  for (const char byte : bytes) PutHex(byte, &text);
  return text;
}

absl::StatusOr<std::string> ParseHex(std::string_view text) {
  std::string bytes;
  bytes.reserve(text.size() / 2);
  for (size_t i = 0; i < text.size(); i += 2) {
    const std::optional<char> byte = ByteOf(text.substr(i));
    if (!byte) return absl::InvalidArgumentError(absl::StrFormat("'%s': not pairs of hex digits", text));
    bytes += *byte;
  }
  return bytes;
}

}  // namespace betr
