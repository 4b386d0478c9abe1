// SPDX-License-Identifier: Apache-2.0
#include "replay/trace/argument.h"

#include <algorithm>
#include <charconv>

#include "replay/trace/scan.h"
#include "replay/trace/symbols.h"

namespace betr::replay {
namespace {

int DigitValue(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return 16;
}

// Up to `most` digits of the base from `*at` on.
char TakeByte(std::string_view text, size_t* at, int base, size_t most) {
  unsigned value = 0;
  for (size_t i = 0; i < most && *at < text.size() && DigitValue(text[*at]) < base; ++i, ++*at) {
    value = value * static_cast<unsigned>(base) + static_cast<unsigned>(DigitValue(text[*at]));
  }
  return static_cast<char>(value);
}

char TakeEscape(std::string_view text, size_t* at) {
  const char c = text[*at];
  if (c >= '0' && c <= '7') return TakeByte(text, at, 8, 3);
  ++*at;
  switch (c) {
    case 'n':
      return '\n';
    case 't':
      return '\t';
    case 'r':
      return '\r';
    case 'v':
      return '\v';
    case 'f':
      return '\f';
    case 'x':
      return TakeByte(text, at, 16, 2);
    default:
      return c;
  }
}

std::optional<uint64_t> ParseOne(std::string_view text) {
  int base = 10;
  if (text.starts_with("0x")) {
    base = 16;
    text.remove_prefix(2);
  } else if (text.size() > 1 && text.front() == '0') {
    base = 8;
  }
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// Cuts off what -y or -X add behind a number.
std::string_view WithoutAnnotation(std::string_view text) {
  text = FirstBeforeComment(text);
  for (size_t at = 1; at < text.size(); ++at) {
    if (text[at] == '<' && BeginsAnnotation(text, at)) return Strip(text.substr(0, at));
  }
  return Strip(text);
}

// One name, number, or `makedev(...)`-like thing between two bars.
uint64_t FlagValue(std::string_view part) {
  if (const std::optional<int64_t> number = ParseNumber(part)) return static_cast<uint64_t>(*number);
  return SymbolValue(part).value_or(0);
}

}  // namespace

std::vector<std::string_view> SplitArguments(std::string_view text) {
  std::vector<std::string_view> parts;
  if (Strip(text).empty()) return parts;
  size_t begin = 0;
  int depth = 0;
  for (size_t at = 0; at < text.size();) {
    const char c = text[at];
    if (c == '(' || c == '[' || c == '{') ++depth;
    if (c == ')' || c == ']' || c == '}') --depth;
    if (c == ',' && depth == 0) {
      parts.push_back(Strip(text.substr(begin, at - begin)));
      begin = at + 1;
    }
    at = SkipElement(text, at);
  }
  parts.push_back(Strip(text.substr(begin)));
  return parts;
}

std::optional<int64_t> ParseNumber(std::string_view text) {
  text = WithoutAnnotation(text);
  const bool is_negative = text.starts_with('-');
  if (is_negative) text.remove_prefix(1);
  std::optional<uint64_t> value;
  if (const size_t times = text.find('*'); times != std::string_view::npos) {
    const std::optional<uint64_t> left = ParseOne(text.substr(0, times));
    const std::optional<uint64_t> right = ParseOne(text.substr(times + 1));
    if (left.has_value() && right.has_value()) value = *left * *right;
  } else if (const size_t shift = text.find("<<"); shift != std::string_view::npos) {
    const std::optional<uint64_t> left = ParseOne(text.substr(0, shift));
    const std::optional<uint64_t> right = ParseOne(text.substr(shift + 2));
    if (left.has_value() && right.has_value() && *right < 64) value = *left << *right;
  } else {
    value = ParseOne(text);
  }
  if (!value.has_value()) return std::nullopt;
  return static_cast<int64_t>(is_negative ? -*value : *value);
}

std::string DecodeEscapes(std::string_view text) {
  std::string bytes;
  bytes.reserve(text.size());
  for (size_t at = 0; at < text.size();) {
    if (text[at] == '\\' && at + 1 < text.size()) {
      ++at;
      bytes.push_back(TakeEscape(text, &at));
    } else {
      bytes.push_back(text[at++]);
    }
  }
  return bytes;
}

std::optional<TextArgument> ParseText(std::string_view text) {
  text = Strip(text);
  if (!text.starts_with('"')) return std::nullopt;
  const size_t end = SkipElement(text, 0);
  if (end < 2 || text[end - 1] != '"') return std::nullopt;
  return TextArgument{DecodeEscapes(text.substr(1, end - 2)), text.substr(end).starts_with("...")};
}

std::optional<std::string> AnnotatedPath(std::string_view annotation) {
  size_t end = 0;
  while (end < annotation.size() && annotation[end] != '<') end += annotation[end] == '\\' ? 2 : 1;
  std::string path = DecodeEscapes(annotation.substr(0, std::min(end, annotation.size())));
  if (!path.starts_with('/') || path.find('\0') != std::string::npos) return std::nullopt;
  return path;
}

std::optional<DescriptorArgument> ParseDescriptor(std::string_view text) {
  text = Strip(text);
  DescriptorArgument descriptor;
  const size_t end = std::min(text.find_first_of("<["), text.size());  // of -y, of --secontext
  const std::string_view number = Strip(FirstBeforeComment(text.substr(0, end)));
  if (number == "AT_FDCWD") {
    descriptor.number = kCurrentDirectory;
  } else {
    const std::optional<int64_t> value = ParseNumber(number);
    if (!value.has_value() || *value < INT32_MIN || *value > INT32_MAX) {
      // -1 is also printed as 4294967295.
      if (!value.has_value() || *value != UINT32_MAX) return std::nullopt;
      descriptor.number = -1;
      return descriptor;
    }
    descriptor.number = static_cast<int>(*value);
  }
  if (end < text.size() && text[end] == '<' && BeginsAnnotation(text, end)) {
    const std::optional<size_t> behind = EndOfAnnotation(text, end);
    if (!behind.has_value()) return descriptor;
    descriptor.path = AnnotatedPath(text.substr(end + 1, *behind - end - 2));
    descriptor.is_deleted = text.substr(*behind).starts_with("(deleted)");
  }
  return descriptor;
}

std::optional<int64_t> ParsePid(std::string_view text) {
  constexpr std::string_view kBegin = "/* ";
  const size_t end = text.find(" in strace's PID NS */");
  const size_t begin = end == std::string_view::npos ? end : text.rfind(kBegin, end);
  if (begin == std::string_view::npos) return ParseNumber(text);
  return ParseNumber(text.substr(begin + kBegin.size(), end - begin - kBegin.size()));
}

std::optional<uint64_t> ParseFlags(std::string_view text) {
  if (Strip(text).empty()) return std::nullopt;
  uint64_t flags = 0;
  while (!text.empty()) {
    size_t end = 0;
    while (end < text.size() && text[end] != '|') end = SkipElement(text, end);
    std::string_view part = Strip(FirstBeforeComment(text.substr(0, end)));
    // `BTRFS_IOC_CLONE or FICLONE`: two names of one number.
    part = part.substr(0, part.find(" or "));
    if (part.starts_with('"') || part.starts_with('{') || part.starts_with('[')) return std::nullopt;
    flags |= FlagValue(part);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return flags;
}

std::string_view FindField(std::string_view text, std::string_view name) {
  text = Strip(text);
  if (text.starts_with('{')) {
    text.remove_prefix(1);
    // `{...} => {...}`: the first one, up to its end.
    size_t end = 0;
    int depth = 0;
    while (end < text.size() && (depth > 0 || text[end] != '}')) {
      depth += text[end] == '{' ? 1 : 0;
      depth -= text[end] == '}' ? 1 : 0;
      end = SkipElement(text, end);
    }
    text = text.substr(0, end);
  }
  for (const std::string_view part : SplitArguments(text)) {
    if (part.starts_with(name) && part.size() > name.size() && part[name.size()] == '=') {
      return Strip(part.substr(name.size() + 1));
    }
  }
  return {};
}

std::optional<std::vector<std::string_view>> ParseArray(std::string_view text) {
  text = Strip(text);
  if (!text.starts_with('[') || !text.ends_with(']') || text == "[...]") return std::nullopt;
  return SplitArguments(text.substr(1, text.size() - 2));
}

std::optional<uint64_t> LengthOfVector(std::string_view text) {
  const std::optional<std::vector<std::string_view>> parts = ParseArray(text);
  if (!parts.has_value()) return std::nullopt;
  uint64_t sum = 0;
  for (const std::string_view part : *parts) {
    const std::optional<int64_t> length = ParseNumber(FindField(part, "iov_len"));
    if (!length.has_value()) return std::nullopt;
    sum += static_cast<uint64_t>(*length);
  }
  return sum;
}

}  // namespace betr::replay
