// SPDX-License-Identifier: Apache-2.0
// Keys and values as text that a terminal, a log and a command line can carry. Printable ASCII stays as it is, a
// backslash is doubled, any other byte becomes \xNN. Pure; O(bytes).
#pragma once

#include <absl/status/statusor.h>

#include <string>
#include <string_view>

namespace betr {

// "usr\x00bin" for the seven bytes u s r NUL b i n. The result is printable ASCII only.
std::string Escape(std::string_view bytes);

// Whether it is UTF-8: the shortest form of each character, none of which is a surrogate.
bool IsUtf8(std::string_view bytes);

// The bytes themselves if they are UTF-8 without control characters. Otherwise escaped. For messages: a name can
// neither give orders to a terminal nor look like another line of a log.
std::string Legible(std::string_view bytes);

// The inverse of Escape. Bytes that Escape would have escaped are accepted as themselves, so that people can type
// UTF-8. Errors: kInvalidArgument for a backslash that begins neither \\ nor \xNN (hex digits of either case).
absl::StatusOr<std::string> Unescape(std::string_view text);

// Lower-case hex, two digits a byte, and its inverse (either case).
std::string FormatHex(std::string_view bytes);
absl::StatusOr<std::string> ParseHex(std::string_view text);

}  // namespace betr
