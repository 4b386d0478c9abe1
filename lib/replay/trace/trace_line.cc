// SPDX-License-Identifier: Apache-2.0
#include "replay/trace/trace_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/status.h"
#include "replay/trace/argument.h"
#include "replay/trace/scan.h"
#include "replay/trace/symbols.h"
#include "replay/trace/trace_prefix.h"

namespace betr::replay {
namespace {

constexpr std::string_view kUnfinished = "<unfinished ...>";
// In the file of a thread whose execve goes on in that of another one (-ff): `<pid changed to 1000 ...>`.
constexpr std::string_view kChanged = "<pid changed to ";

// `<0.000123>` at the end.
void TakeDuration(std::string_view* text, CallResult* result) {
  if (!text->ends_with('>')) return;
  const size_t begin = text->rfind(" <");
  double seconds = 0;
  if (begin == std::string_view::npos) return;
  const std::string_view digits = text->substr(begin + 2, text->size() - begin - 3);
  if (digits.find_first_not_of("0123456789.") != std::string_view::npos || !ParseDecimal(digits, &seconds)) return;
  constexpr double kLongest = 1e9;
  result->duration = std::chrono::nanoseconds(std::llround(std::min(seconds, kLongest) * 1e9));
  *text = Strip(text->substr(0, begin));
}

// Behind `-1 `: `ENOENT (No such file or directory)`.
void ReadError(std::string_view text, CallResult* result) {
  text = Strip(text);
  const std::string_view name = text.substr(0, text.find(' '));
  if (const std::optional<int> error = ErrnoValue(name)) {
    result->error = *error;
  } else {
    result->returned = false;
  }
}

absl::StatusOr<CallResult> ParseResult(std::string_view text) {
  CallResult result;
  text = Strip(text);
  TakeDuration(&text, &result);
  if (text.starts_with('?')) return result;
  const size_t end = std::min(text.find_first_of(" <"), text.size());
  const std::optional<int64_t> value = ParseNumber(text.substr(0, end));
  if (!value.has_value()) return absl::InvalidArgumentError("the result is no number");
  result.returned = true;
  result.value = *value;
  result.pid = ParsePid(text).value_or(*value);
  if (end < text.size() && text[end] == '<' && BeginsAnnotation(text, end)) {
    const std::optional<size_t> behind = EndOfAnnotation(text, end);
    if (!behind.has_value()) return absl::InvalidArgumentError("what -y adds to the result does not end");
    result.annotation = std::string(text.substr(end + 1, *behind - end - 2));
  } else if (*value == -1 && text.substr(end).starts_with(" E")) {
    ReadError(text.substr(end), &result);
  }
  return result;
}

absl::StatusOr<TraceLine> ParseSpecial(std::string_view text, TraceLine line) {
  if (text.starts_with("+++ ")) {
    line.kind = TraceLine::Kind::kExit;
    line.arguments = std::string(text);
  } else if (text.starts_with("--- ")) {
    line.kind = TraceLine::Kind::kSignal;
  } else if (text.starts_with("strace: ") || text.starts_with(" > ") || text.starts_with("> ")) {
    line.kind = TraceLine::Kind::kNote;
    line.arguments = std::string(text);
  } else {
    constexpr std::string_view kBegin = "<... ";
    constexpr std::string_view kEnd = " resumed>";
    const size_t end = text.find(kEnd);
    if (!text.starts_with(kBegin) || end == std::string_view::npos) {
      return absl::InvalidArgumentError("neither a call nor an event");
    }
    line.kind = TraceLine::Kind::kResumed;
    line.name = std::string(text.substr(kBegin.size(), end - kBegin.size()));
    line.arguments = std::string(text.substr(end + kEnd.size()));
  }
  return line;
}

// Whether the line ends with an unquoted `<unfinished ...>` or the like; its position.
size_t FindUnfinished(std::string_view text) {
  if (!text.ends_with(" ...>")) return std::string_view::npos;
  const size_t wanted = text.ends_with(kUnfinished) ? text.size() - kUnfinished.size() : text.rfind(kChanged);
  if (wanted == std::string_view::npos) return std::string_view::npos;
  size_t at = 0;
  while (at < wanted) at = SkipElement(text, at);
  return at == wanted ? wanted : std::string_view::npos;
}

// `vfork(strace: Process 20499 attached`: what stands before the message.
size_t FindMessage(std::string_view text) {
  const size_t at = text.rfind("strace: Process ");
  const bool is_last = text.ends_with(" attached") || text.ends_with(" detached");
  return is_last ? at : std::string_view::npos;
}

}  // namespace

absl::StatusOr<TraceLine> ParseCall(std::string_view name, std::string_view rest) {
  TraceLine line;
  line.name = std::string(name);
  const size_t end = FindEndOfArguments(rest, 0);
  if (end == std::string_view::npos) return absl::InvalidArgumentError("the arguments do not end");
  const std::string_view behind = Strip(rest.substr(end + 1));
  if (!behind.starts_with("= ") && behind != "=") return absl::InvalidArgumentError("there is no result");
  line.kind = TraceLine::Kind::kCall;
  line.arguments = std::string(rest.substr(0, end));
  BETR_ASSIGN_OR_RETURN(line.result, ParseResult(behind.substr(1)));
  return line;
}

absl::StatusOr<TraceLine> ParseTraceLine(std::string_view text) {
  TraceLine line;
  if (text.starts_with(" <unfinished") || text.starts_with(')') || text.starts_with(", ")) {
    line.kind = TraceLine::Kind::kContinuation;
    line.arguments = std::string(text);
    return line;
  }
  const std::string_view body = ParsePrefix(text, &line);
  const size_t name_size = NameSize(body);
  if (name_size == 0) return ParseSpecial(body, std::move(line));
  line.name = std::string(body.substr(0, name_size));
  const std::string_view rest = body.substr(name_size + 1);
  if (const size_t message = FindMessage(rest); message != std::string_view::npos) {
    line.kind = TraceLine::Kind::kBroken;
    line.arguments = std::string(rest.substr(0, message));
    return line;
  }
  if (const size_t cut = FindUnfinished(rest); cut != std::string_view::npos) {
    line.kind = TraceLine::Kind::kUnfinished;
    line.arguments = std::string(rest.substr(0, cut > 0 && rest[cut - 1] == ' ' ? cut - 1 : cut));
    return line;
  }
  BETR_ASSIGN_OR_RETURN(TraceLine call, ParseCall(line.name, rest));
  call.pid = line.pid;
  call.clock = line.clock;
  call.time = line.time;
  return call;
}

}  // namespace betr::replay
