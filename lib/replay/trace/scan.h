// SPDX-License-Identifier: Apache-2.0
// Moves through the text of a strace line without being fooled by quoted text, by the paths that -y adds, or by
// comments. A file name may hold ")", " = 3", "<unfinished ...>" or a quote. Pure; O(bytes moved over).
#pragma once

#include <charconv>
#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

namespace betr::replay {

// Returns the position behind the element at `at`: a string in quotes, an annotation in angle brackets, a comment, or
// one character. The end of the text if the element does not end. Requires: at < text.size().
size_t SkipElement(std::string_view text, size_t at);

// Whether the `<` at `at` begins what -y, -yy or -Y adds to a number: `3</path>`, `AT_FDCWD</cwd>`, `12<comm>`.
bool BeginsAnnotation(std::string_view text, size_t at);

// Returns the position behind the annotation that begins at `at`. Nothing if it does not end, or is nested more deeply
// than strace prints.
std::optional<size_t> EndOfAnnotation(std::string_view text, size_t at);

// Returns the position of the parenthesis that closes the argument list that begins at `at`; npos if the list is cut.
size_t FindEndOfArguments(std::string_view text, size_t at);

// Returns the text without white space at both ends.
std::string_view Strip(std::string_view text);

// Returns the text up to its first comment: `0x241 /* O_WRONLY */` becomes `0x241 `. Comments in strings do not count.
std::string_view FirstBeforeComment(std::string_view text);

// Parses the whole text as a decimal number. Returns false if it is not one, or is too large.
template <class T>
bool ParseDecimal(std::string_view text, T* value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *value);
  return !text.empty() && error == std::errc() && end == text.data() + text.size();
}

// Returns the parts between separators, without empty ones.
std::vector<std::string_view> SplitNonEmpty(std::string_view text, char separator);

}  // namespace betr::replay
