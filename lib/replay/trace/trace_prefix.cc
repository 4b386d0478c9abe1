// SPDX-License-Identifier: Apache-2.0
#include "replay/trace/trace_prefix.h"

#include <algorithm>
#include <charconv>

#include "replay/trace/scan.h"

namespace betr::replay {
namespace {

// Linux gives out no larger process ids, so a larger number in front is a time.
constexpr uint64_t kMaxPid = 1 << 22;
// Seconds since 1970 are more than this in every trace; seconds since the previous line are less.
constexpr int64_t kFirstEpochSecond = 100'000'000;

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsNameCharacter(char c) { return (c >= 'a' && c <= 'z') || IsDigit(c) || c == '_'; }

size_t DigitsAt(std::string_view text) {
  return static_cast<size_t>(std::find_if_not(text.begin(), text.end(), IsDigit) - text.begin());
}

void DropSpaces(std::string_view* text) { text->remove_prefix(std::min(text->find_first_not_of(' '), text->size())); }

// Digits behind a point as nanoseconds.
int64_t Fraction(std::string_view digits) {
  int64_t value = 0;
  for (size_t i = 0; i < 9; ++i) value = value * 10 + (i < digits.size() ? digits[i] - '0' : 0);
  return value;
}

// `123` or `123.456`; takes it off the text. Nothing is taken if there is no number, or one that is too large.
bool TakeSeconds(std::string_view* text, int64_t* nanoseconds, bool* has_fraction) {
  const size_t whole = DigitsAt(*text);
  int64_t seconds = 0;
  constexpr int64_t kMostSeconds = 9'000'000'000;
  if (whole == 0 || !ParseDecimal(text->substr(0, whole), &seconds) || seconds > kMostSeconds) return false;
  text->remove_prefix(whole);
  *has_fraction = text->starts_with('.');
  int64_t fraction = 0;
  if (*has_fraction) {
    const size_t digits = DigitsAt(text->substr(1));
    fraction = Fraction(text->substr(1, digits));
    text->remove_prefix(1 + digits);
  }
  *nanoseconds = seconds * 1'000'000'000 + fraction;
  return true;
}

// `12:30:52.123456`.
bool TakeTimeOfDay(std::string_view* text, TraceLine* line) {
  std::string_view rest = *text;
  const auto two_digits = [&rest](char end) {
    if (rest.size() < 3 || !IsDigit(rest[0]) || !IsDigit(rest[1]) || rest[2] != end) return int64_t{-1};
    const int64_t value = (rest[0] - '0') * 10 + (rest[1] - '0');
    rest.remove_prefix(3);
    return value;
  };
  const int64_t hours = two_digits(':');
  const int64_t minutes = hours < 0 ? -1 : two_digits(':');
  int64_t nanoseconds = 0;
  bool has_fraction = false;
  if (minutes < 0 || !TakeSeconds(&rest, &nanoseconds, &has_fraction)) return false;
  line->clock = TraceLine::Clock::kOfDay;
  line->time = std::chrono::hours(hours) + std::chrono::minutes(minutes) + std::chrono::nanoseconds(nanoseconds);
  *text = rest;
  return true;
}

// Behind the number of a process: `<comm>` of -Y.
void DropCommand(std::string_view* text) {
  if (!text->starts_with('<')) return;
  const size_t end = text->find("> ");
  if (end != std::string_view::npos) text->remove_prefix(end + 1);
}

bool TakeBracketedPid(std::string_view* text, TraceLine* line) {
  if (!text->starts_with("[pid ")) return false;
  std::string_view rest = text->substr(5);
  DropSpaces(&rest);
  uint32_t pid = 0;
  const size_t digits = DigitsAt(rest);
  if (!ParseDecimal(rest.substr(0, digits), &pid)) return false;
  rest.remove_prefix(digits);
  if (rest.starts_with('<')) rest.remove_prefix(std::min(rest.find(">]"), rest.size() - 1) + 1);
  if (!rest.starts_with("]")) return false;
  line->pid = pid;
  *text = rest.substr(1);
  return true;
}

void TakePid(std::string_view* text, TraceLine* line) {
  if (TakeBracketedPid(text, line)) return;
  const size_t digits = DigitsAt(*text);
  uint64_t pid = 0;
  if (digits == 0 || digits == text->size() || !ParseDecimal(text->substr(0, digits), &pid)) return;
  const char next = (*text)[digits];
  if (pid > kMaxPid || (next != ' ' && next != '<')) return;
  line->pid = static_cast<uint32_t>(pid);
  text->remove_prefix(digits);
  DropCommand(text);
}

// `(+     0.000123)` of -r beside another time, `[  257]` of -n, `[00007f12...]` of -i.
void DropExtras(std::string_view* text) {
  DropSpaces(text);
  while (text->starts_with("(+ ") || text->starts_with('[')) {
    const size_t end = text->find_first_of(")]");
    if (end == std::string_view::npos) return;
    text->remove_prefix(end + 1);
    DropSpaces(text);
  }
}

// Whether what stands behind the prefix begins here.
bool IsBegin(std::string_view text) {
  DropExtras(&text);
  return NameSize(text) > 0 || text.starts_with("<... ") || text.starts_with("+++ ") || text.starts_with("--- ");
}

void TakeTime(std::string_view* text, TraceLine* line) {
  if (TakeTimeOfDay(text, line)) return;
  std::string_view rest = *text;
  int64_t nanoseconds = 0;
  bool has_fraction = false;
  if (!TakeSeconds(&rest, &nanoseconds, &has_fraction) || !rest.starts_with(' ')) return;
  const bool is_epoch = nanoseconds / 1'000'000'000 >= kFirstEpochSecond;
  // --relative-timestamps=s has whole seconds.
  if (!is_epoch && !has_fraction && !IsBegin(rest)) return;
  line->clock = is_epoch ? TraceLine::Clock::kSinceEpoch : TraceLine::Clock::kSincePrevious;
  line->time = std::chrono::nanoseconds(nanoseconds);
  *text = rest;
}

}  // namespace

size_t NameSize(std::string_view text) {
  const auto size = static_cast<size_t>(std::find_if_not(text.begin(), text.end(), IsNameCharacter) - text.begin());
  return size < text.size() && text[size] == '(' ? size : 0;
}

std::string_view ParsePrefix(std::string_view text, TraceLine* line) {
  std::string_view rest = text;
  TakePid(&rest, line);
  DropSpaces(&rest);
  TakeTime(&rest, line);
  DropExtras(&rest);
  return rest;
}

}  // namespace betr::replay
