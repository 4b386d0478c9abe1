// SPDX-License-Identifier: Apache-2.0
#include "replay/converted/operation_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <iterator>
#include <span>
#include <utility>

#include "replay/converted/operation_fields.h"
#include "replay/interpret/manifest.h"
#include "replay/trace/argument.h"
#include "replay/trace/symbols.h"

namespace betr::replay {
namespace {

// In the order of Field.
constexpr std::array<std::string_view, kFields> kFieldNames{
    "thread",    "time",    "line",       "variant",   "node",     "parent",   "name",     "rest", "to_node",
    "to_parent", "to_name", "to_rest",    "file",      "to_file",  "flags",    "mode",     "type", "device",
    "uid",       "gid",     "offset",     "to_offset", "length",   "accessed", "modified", "text", "value",
    "error",     "count",   "attributes", "probe",     "position", "growing"};
constexpr std::array<std::string_view, 3> kEventNames{"fork", "wait", "exit"};

// The words for small numbers, counted from 0; none for what is written as a number. An empty word is never written.
std::span<const std::string_view> WordsOf(Notation notation) {
  static constexpr std::array<std::string_view, 8> kVariants{"",          "data",      "hole",    "end",
                                                             "writeback", "existence", "unnamed", "acl"};
  static constexpr std::array<std::string_view, 8> kTypes{"", "f", "d", "l", "p", "s", "c", "b"};
  static constexpr std::array<std::string_view, 3> kTimeChanges{"", "now", "at"};
  switch (notation) {
    case Notation::kVariant:
      return kVariants;
    case Notation::kType:
      return kTypes;
    case Notation::kTimeChange:
      return kTimeChanges;
    default:
      return {};
  }
}

std::string FormatNumber(uint64_t value, Notation notation) {
  if (const auto words = WordsOf(notation); !words.empty()) return std::string(words[value]);
  switch (notation) {
    case Notation::kOctal:
      return fmt::format("{:04o}", value);
    case Notation::kHex:
      return fmt::format("{:#x}", value);
    case Notation::kErrno: {
      std::string name = ErrnoName(static_cast<int>(value));
      if (ErrnoValue(name) == static_cast<int>(value)) return name;
      break;
    }
    default:
      break;
  }
  return fmt::format("{}", value);
}

template <class Int>
bool ParseInteger(std::string_view text, int base, Int* value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *value, base);
  return !text.empty() && error == std::errc() && end == text.data() + text.size();
}

bool ParseNumberIn(std::string_view text, Notation notation, uint64_t* value) {
  if (const auto words = WordsOf(notation); !words.empty()) {
    const auto found = std::find(words.begin(), words.end(), text);
    *value = static_cast<uint64_t>(found - words.begin());
    return found != words.end() && !text.empty();
  }
  if (notation == Notation::kErrno) {
    if (const std::optional<int> error = ErrnoValue(text)) {
      *value = static_cast<uint64_t>(*error);
      return true;
    }
  }
  const bool is_hex = notation == Notation::kHex && text.starts_with("0x");
  if (is_hex) return ParseInteger(text.substr(2), 16, value);
  return ParseInteger(text, notation == Notation::kOctal ? 8 : 10, value);
}

// Takes values by pointer, as what reads them does; it changes none.
class TextWriter {
 public:
  explicit TextWriter(std::string_view kind) : text_(kind) {}

  bool Has(Field field, bool is_there) {
    if (is_there) Begin(kFieldNames.at(field));
    return is_there;
  }
  void Begin(std::string_view name) {
    fmt::format_to(std::back_inserter(text_), " {}", name);
    separator_ = '=';
  }
  void Number(uint64_t* value, uint64_t, Notation notation = Notation::kDecimal) {
    Put(FormatNumber(*value, notation));
  }
  void Delta(uint64_t* value, uint64_t) { Number(value, 0); }
  void Text(std::string* value, uint64_t) { Put(EscapePath(*value)); }
  void Time(FileTime* time) {
    Put(fmt::format("{}", time->seconds));
    Put(fmt::format("{}", time->nanoseconds));
  }
  void Require(bool) {}

  std::string Take() { return std::move(text_); }

 private:
  void Put(std::string_view part) {
    text_ += std::exchange(separator_, ',');
    text_ += part;
  }

  std::string text_;
  char separator_ = '=';
};

// The first error stays.
class TextReader {
 public:
  explicit TextReader(std::string_view fields) : rest_(fields) {}

  bool Has(Field field, bool) { return Begin(kFieldNames.at(field)); }
  bool Begin(std::string_view name);
  void Number(uint64_t* value, uint64_t most, Notation notation = Notation::kDecimal) {
    const std::string_view part = Part();
    if (!ParseNumberIn(part, notation, value) || *value > most) FailAt(part);
  }
  void Delta(uint64_t* value, uint64_t) { Number(value, UINT64_MAX); }
  void Text(std::string* value, uint64_t most) {
    *value = DecodeEscapes(std::exchange(value_, std::nullopt).value_or(""));
    if (value->size() > most) Fail("a text is too long");
  }
  void Time(FileTime* time);
  // People may write what is usual.
  void Require(bool) {}

  absl::Status Finish();

 private:
  std::string_view Part();
  void Fail(std::string why) {
    if (error_.empty()) error_ = std::move(why);
  }
  void FailAt(std::string_view part) { Fail(fmt::format("{}: wrong value: {}", name_, part.substr(0, 64))); }

  std::string_view rest_;  // behind the current field
  std::string_view name_;
  std::optional<std::string_view> value_;  // what is left of it
  std::string error_;
};

bool TextReader::Begin(std::string_view name) {
  const std::string_view token = rest_.substr(0, rest_.find(' '));
  if (token.substr(0, token.find('=')) != name) return false;
  if (value_.has_value()) FailAt(*value_);
  name_ = name;
  value_ = token.size() == name.size() ? std::nullopt : std::optional(token.substr(name.size() + 1));
  rest_.remove_prefix(std::min(token.size() + 1, rest_.size()));
  return true;
}

std::string_view TextReader::Part() {
  const std::string_view value = value_.value_or("");
  const size_t end = value.find(',');
  value_ = end == std::string_view::npos ? std::nullopt : std::optional(value.substr(end + 1));
  return value.substr(0, end);
}

void TextReader::Time(FileTime* time) {
  constexpr uint64_t kNanosecondsPerSecond = 1'000'000'000;
  const std::string_view seconds = Part();
  if (!ParseInteger(seconds, 10, &time->seconds)) FailAt(seconds);
  uint64_t nanoseconds = 0;
  Number(&nanoseconds, kNanosecondsPerSecond - 1);
  time->nanoseconds = static_cast<uint32_t>(nanoseconds);
}

absl::Status TextReader::Finish() {
  if (value_.has_value()) FailAt(*value_);
  if (!rest_.empty() && !rest_.starts_with('#')) {
    Fail(fmt::format("no such field, or not in its place: {}", rest_.substr(0, rest_.find(' ')).substr(0, 64)));
  }
  return error_.empty() ? absl::OkStatus() : absl::InvalidArgumentError(error_);
}

std::optional<OperationKind> KindOf(std::string_view name) {
  for (size_t i = 0; i < kOperationKinds; ++i) {
    const auto kind = static_cast<OperationKind>(i);
    if (NameOf(kind) == name) return kind;
  }
  return std::nullopt;
}

void ReadNumber(TextReader* in, std::string_view name, uint64_t most, uint64_t* value) {
  if (in->Begin(name)) in->Number(value, most);
}

ProcessEvent ReadEvent(ProcessEvent::Kind kind, TextReader* in) {
  uint64_t thread = 0;
  uint64_t other = 0;
  ProcessEvent event{.kind = kind};
  ReadNumber(in, "thread", UINT32_MAX, &thread);
  ReadNumber(in, "other", UINT32_MAX, &other);
  ReadNumber(in, "line", UINT64_MAX, &event.line);
  event.thread = static_cast<ThreadNumber>(thread);
  event.other = static_cast<ThreadNumber>(other);
  return event;
}

}  // namespace

std::string FormatRecord(const Operation& operation) {
  TextWriter writer(NameOf(operation.kind));
  RecordContext before;
  Operation copy = operation;
  CodeOperation(writer, &before, &copy);
  return writer.Take();
}

std::string FormatRecord(const ProcessEvent& event) {
  return fmt::format("{} thread={} other={} line={}", kEventNames.at(static_cast<size_t>(event.kind)), event.thread,
                     event.other, event.line);
}

absl::StatusOr<TraceRecord> ParseRecord(std::string_view line) {
  const std::string_view word = line.substr(0, line.find(' '));
  TextReader reader(line.substr(std::min(word.size() + 1, line.size())));
  TraceRecord record;
  if (const std::optional<OperationKind> kind = KindOf(word)) {
    Operation operation{.kind = *kind};
    RecordContext before;
    CodeOperation(reader, &before, &operation);
    record = std::move(operation);
  } else {
    const auto* const found = std::find(kEventNames.begin(), kEventNames.end(), word);
    if (found == kEventNames.end()) {
      return absl::InvalidArgumentError(fmt::format("no such kind of line: {}", word.substr(0, 64)));
    }
    record = ReadEvent(static_cast<ProcessEvent::Kind>(found - kEventNames.begin()), &reader);
  }
  if (const absl::Status finished = reader.Finish(); !finished.ok()) return finished;
  return record;
}

}  // namespace betr::replay
