// SPDX-License-Identifier: Apache-2.0
// Moving through the text of a strace line without being fooled by what stands in quotes, in the paths that -y adds, or
// in comments: a file name may hold ")", " = 3", "<unfinished ...>" or a quote. Pure; O(bytes moved over).
#pragma once

#include <charconv>
#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

namespace betr::replay {

// The position behind the element at `at`: a string in quotes, an annotation in angle brackets, a comment, or one
// character. The end of the text if the element does not end. Requires: at < text.size().
size_t SkipElement(std::string_view text, size_t at);

// Whether the `<` at `at` begins what -y, -yy or -Y add to a number: `3</path>`, `AT_FDCWD</cwd>`, `12<comm>`.
bool BeginsAnnotation(std::string_view text, size_t at);

// The position behind the annotation that begins at `at`; nothing if it does not end, or has more in one another than
// strace prints.
std::optional<size_t> EndOfAnnotation(std::string_view text, size_t at);

// The position of the parenthesis that closes the argument list which begins at `at`; npos if it is cut.
size_t FindEndOfArguments(std::string_view text, size_t at);

// The text without white space at both ends.
std::string_view Strip(std::string_view text);

// The text without its comments: `0x241 /* O_WRONLY */` is `0x241 `. Comments in strings stay.
std::string_view FirstBeforeComment(std::string_view text);

// The whole text as a decimal number; false if it is none or too large.
template <class T>
bool ParseDecimal(std::string_view text, T* value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *value);
  return !text.empty() && error == std::errc() && end == text.data() + text.size();
}

// The parts between separators; empty ones are left out.
std::vector<std::string_view> SplitNonEmpty(std::string_view text, char separator);

}  // namespace betr::replay
