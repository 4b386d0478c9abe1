// SPDX-License-Identifier: Apache-2.0
#include "replay/scan.h"

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

// What stands in brackets inside of an annotation of -yy may hold `->`, quoted paths, and more brackets.
size_t SkipBrackets(std::string_view text, size_t at) {
  for (++at; at < text.size() && text[at] != ']';) {
    if (text[at] == '"') {
      at = SkipString(text, at);
    } else if (text[at] == '[') {
      at = SkipBrackets(text, at);
    } else {
      ++at;
    }
  }
  return std::min(at + 1, text.size());
}

// In a path, `<` and `>` are escaped and brackets mean nothing; behind it -yy may add `<char 1:3>`.
size_t SkipAnnotation(std::string_view text, size_t at) {
  const bool is_path = at + 1 < text.size() && (text[at + 1] == '/' || text[at + 1] == '\\');
  for (++at; at < text.size() && text[at] != '>';) {
    if (text[at] == '\\') {
      at += 2;
    } else if (text[at] == '<') {
      at = SkipAnnotation(text, at);
    } else if (text[at] == '[' && !is_path) {
      at = SkipBrackets(text, at);
    } else {
      ++at;
    }
  }
  return std::min(at + 1, text.size());
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

size_t SkipElement(std::string_view text, size_t at) {
  switch (text[at]) {
    case '"':
      return SkipString(text, at);
    case '<':
      return BeginsAnnotation(text, at) ? SkipAnnotation(text, at) : at + 1;
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
