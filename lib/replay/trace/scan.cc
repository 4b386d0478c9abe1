// SPDX-License-Identifier: Apache-2.0
#include "replay/trace/scan.h"

#include <algorithm>
#include <cctype>

namespace betr::replay {
namespace {

size_t SkipString(std::string_view text, size_t at) {
  for (++at; at < text.size(); ++at) {
    if (text[at] == '\\') {
      ++at;
    } else if (text[at] == '"') {
      return at + 1;
    }
  }
  return text.size();
}

// Annotations and brackets in one another that are followed; strace prints three. A hostile line may have millions, and
// must not take all of the stack.
constexpr int kDeepest = 64;

// What stands in brackets inside of an annotation of -yy may hold `->`, quoted paths, and more brackets.
std::optional<size_t> EndOfBrackets(std::string_view text, size_t at, int depth) {
  if (depth > kDeepest) return std::nullopt;
  for (++at; at < text.size() && text[at] != ']';) {
    if (text[at] == '"') {
      at = SkipString(text, at);
    } else if (text[at] == '[') {
      const std::optional<size_t> behind = EndOfBrackets(text, at, depth + 1);
      if (!behind.has_value()) return std::nullopt;
      at = *behind;
    } else {
      ++at;
    }
  }
  return at < text.size() ? std::optional(at + 1) : std::nullopt;
}

// In a path, `<` and `>` are escaped and brackets mean nothing; behind it -yy may add `<char 1:3>`.
std::optional<size_t> EndOfAnnotation(std::string_view text, size_t at, int depth) {
  if (depth > kDeepest) return std::nullopt;
  const bool is_path = at + 1 < text.size() && (text[at + 1] == '/' || text[at + 1] == '\\');
  for (++at; at < text.size() && text[at] != '>';) {
    const bool is_annotation = text[at] == '<';
    if (text[at] == '\\') {
      at += 2;
    } else if (is_annotation || (text[at] == '[' && !is_path)) {
      const std::optional<size_t> behind =
          is_annotation ? EndOfAnnotation(text, at, depth + 1) : EndOfBrackets(text, at, depth + 1);
      if (!behind.has_value()) return std::nullopt;
      at = *behind;
    } else {
      ++at;
    }
  }
  return at < text.size() ? std::optional(at + 1) : std::nullopt;
}

size_t SkipComment(std::string_view text, size_t at) {
  const size_t end = text.find("*/", at + 2);
  return end == std::string_view::npos ? text.size() : end + 2;
}

}  // namespace

bool BeginsAnnotation(std::string_view text, size_t at) {
  if (at == 0 || at + 1 >= text.size() || text[at + 1] == '<' || text[at + 1] == '.') return false;
  const char before = text[at - 1];
  const bool may = std::isdigit(static_cast<unsigned char>(before)) != 0 || before == 'D' || before == '/';
  return may && text.substr(at) != "<unfinished ...>";
}

std::optional<size_t> EndOfAnnotation(std::string_view text, size_t at) { return EndOfAnnotation(text, at, 1); }

size_t SkipElement(std::string_view text, size_t at) {
  switch (text[at]) {
    case '"':
      return SkipString(text, at);
    case '<':
      return BeginsAnnotation(text, at) ? EndOfAnnotation(text, at).value_or(text.size()) : at + 1;
    case '/':
      return at + 1 < text.size() && text[at + 1] == '*' ? SkipComment(text, at) : at + 1;
    default:
      return at + 1;
  }
}

size_t FindEndOfArguments(std::string_view text, size_t at) {
  int depth = 0;
  while (at < text.size()) {
    const char c = text[at];
    if (c == '(' || c == '[' || c == '{') ++depth;
    if (c == ')' || c == ']' || c == '}') {
      if (depth == 0) return c == ')' ? at : std::string_view::npos;
      --depth;
    }
    at = SkipElement(text, at);
  }
  return std::string_view::npos;
}

std::string_view Strip(std::string_view text) {
  const auto is_space = [](char c) { return c == ' ' || c == '\t' || c == '\r'; };
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

std::string_view FirstBeforeComment(std::string_view text) {
  for (size_t at = 0; at < text.size(); at = SkipElement(text, at)) {
    if (text.substr(at).starts_with("/*")) return text.substr(0, at);
  }
  return text;
}

std::vector<std::string_view> SplitNonEmpty(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const size_t end = std::min(text.find(separator), text.size());
    if (end > 0) parts.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

}  // namespace betr::replay
