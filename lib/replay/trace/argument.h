// SPDX-License-Identifier: Apache-2.0
// The values that strace prints as arguments: numbers, strings, descriptors, flags, structures, arrays. Reads alike all
// forms that -s, -x, -xx, -y, -yy, -v and -X choose between. Pure; O(bytes).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace betr::replay {

inline constexpr int kCurrentDirectory = -100;  // AT_FDCWD

// Splits at the commas that are not in a string, bracket or annotation. White space around the parts is dropped.
std::vector<std::string_view> SplitArguments(std::string_view text);

// Parses a number: decimal, octal (leading 0), hex (0x), `a*b` or `a<<b`, possibly followed by a comment or an
// annotation. Nothing for what is not a number, or is too large. Values from 2^63 on come out negative, as the kernel
// sees them.
std::optional<int64_t> ParseNumber(std::string_view text);

// Parses the number of a process: the one that strace knows it by, if a comment of --pidns-translation tells that, as
// in `2 /* 1001 in strace's PID NS */`.
std::optional<int64_t> ParsePid(std::string_view text);

// A string argument.
struct TextArgument {
  std::string bytes;
  bool is_cut = false;  // -s was shorter than the string
};

// Parses a string. Nothing for what is not one: NULL, an address, `[...]`.
std::optional<TextArgument> ParseText(std::string_view text);

// Undoes the escapes of strace: \n, \", \\, octal, hex.
std::string DecodeEscapes(std::string_view text);

// A descriptor, with the path that -y prints.
struct DescriptorArgument {
  int number = -1;
  std::optional<std::string> path{};  // absolute; also of a deleted file, without `(deleted)`
  bool is_deleted = false;
};

std::optional<DescriptorArgument> ParseDescriptor(std::string_view text);

// Returns what an annotation (without its brackets) says, if that is a path.
std::optional<std::string> AnnotatedPath(std::string_view annotation);

// Parses names and numbers joined by `|`. Names that replay does not know count as 0. Nothing for what does not have
// this form.
std::optional<uint64_t> ParseFlags(std::string_view text);

// Returns the value of `name=` in a structure `{...}` or among the arguments themselves; empty if it is not there.
std::string_view FindField(std::string_view text, std::string_view name);

// Returns the sum of the lengths in `[{iov_base="x", iov_len=1}, ...]`; nothing if not all of it was printed.
std::optional<uint64_t> LengthOfVector(std::string_view text);

// Returns the elements of `[...]`; nothing if it is not an array or its content was not printed.
std::optional<std::vector<std::string_view>> ParseArray(std::string_view text);

}  // namespace betr::replay
