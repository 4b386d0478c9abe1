// SPDX-License-Identifier: Apache-2.0
// The values that strace prints as arguments: numbers, strings, descriptors, flags, structures, arrays. All forms that
// -s, -x, -xx, -y, -yy, -v and -X choose between are read alike. Pure; O(bytes).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace betr::replay {

inline constexpr int kCurrentDirectory = -100;  // AT_FDCWD

// Divides at the commas that are in no string, bracket, or annotation; white space around the parts is dropped.
std::vector<std::string_view> SplitArguments(std::string_view text);

// Decimal, octal (leading 0), hex (0x), `a*b`, `a<<b`, with a comment or an annotation behind. Nothing for what is no
// number or too large. Values from 2^63 on come out negative, as the kernel sees them.
std::optional<int64_t> ParseNumber(std::string_view text);

// A string argument.
struct TextArgument {
  std::string bytes;
  bool is_cut = false;  // -s was shorter than the string
};

// Nothing for what is no string: NULL, an address, `[...]`.
std::optional<TextArgument> ParseText(std::string_view text);

// The escapes of strace undone: \n, \", \\, octal, hex.
std::string DecodeEscapes(std::string_view text);

// A descriptor, with the path that -y tells.
struct DescriptorArgument {
  int number = -1;
  std::optional<std::string> path{};  // absolute; also of a deleted file, without `(deleted)`
  bool is_deleted = false;
};

std::optional<DescriptorArgument> ParseDescriptor(std::string_view text);

// What stands in an annotation (without its brackets), if it is a path.
std::optional<std::string> AnnotatedPath(std::string_view annotation);

// Names and numbers joined by `|`; names that replay does not know count as 0. Nothing for what has no such form.
std::optional<uint64_t> ParseFlags(std::string_view text);

// The value of `name=` in a structure `{...}` or among the arguments themselves; empty if it is not there.
std::string_view FindField(std::string_view text, std::string_view name);

// The sum of the lengths in `[{iov_base="x", iov_len=1}, ...]`; nothing if not all of it was printed.
std::optional<uint64_t> LengthOfVector(std::string_view text);

// The elements of `[...]`; nothing if it is none or its content was not printed.
std::optional<std::vector<std::string_view>> ParseArray(std::string_view text);

}  // namespace betr::replay
