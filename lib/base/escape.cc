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

// The byte that the first two characters give as hex digits.
std::optional<char> ByteOf(std::string_view text) {
  if (text.size() < 2) return std::nullopt;
  const std::optional<int> high = DigitValue(text[0]);
  const std::optional<int> low = DigitValue(text[1]);
  if (!high || !low) return std::nullopt;
  return static_cast<char>(*high * 16 + *low);
}

// How many bytes the first character of `bytes` has in UTF-8; 0 if they begin with none. Requires: `bytes` is not
// empty.
size_t CharacterSize(std::string_view bytes) {
  const auto first = static_cast<uint8_t>(bytes[0]);
  const size_t size = first < 0x80 ? 1 : first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0;
  if (size < 2) return size;
  if (bytes.size() < size) return 0;
  for (size_t i = 1; i < size; ++i) {
    if ((static_cast<uint8_t>(bytes[i]) & 0xc0) != 0x80) return 0;
  }
  const auto second = static_cast<uint8_t>(bytes[1]);
  const bool is_too_long = (first == 0xe0 && second < 0xa0) || (first == 0xf0 && second < 0x90);
  const bool is_no_letter = (first == 0xed && second >= 0xa0) || (first == 0xf4 && second >= 0x90);
  return is_too_long || is_no_letter ? 0 : size;
}

// Whether it is U+0000 to U+001F or U+007F to U+009F. Requires: `character` is one character in UTF-8.
bool IsControl(std::string_view character) {
  const auto last = static_cast<uint8_t>(character.back());
  return character.size() == 1 ? last < 0x20 || last == 0x7f : character[0] == '\xc2' && last < 0xa0;
}

// Whether `bytes` are UTF-8, and each character is allowed.
template <class Allowed>
bool ConsistsOf(std::string_view bytes, const Allowed& allowed) {
  while (!bytes.empty()) {
    const size_t size = CharacterSize(bytes);
    if (size == 0 || !allowed(bytes.substr(0, size))) return false;
    bytes.remove_prefix(size);
  }
  return true;
}

}  // namespace

bool IsUtf8(std::string_view bytes) {
  return ConsistsOf(bytes, [](std::string_view) { return true; });
}

std::string Legible(std::string_view bytes) {
  const bool is_legible = ConsistsOf(bytes, [](std::string_view character) { return !IsControl(character); });
  return is_legible ? std::string(bytes) : Escape(bytes);
}

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
