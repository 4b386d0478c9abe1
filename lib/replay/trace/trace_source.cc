// SPDX-License-Identifier: Apache-2.0
#include "replay/trace/trace_source.h"

#include <fmt/format.h>

#include "base/status.h"
#include "replay/trace/descriptor_limit.h"
#include "replay/trace/scan.h"
#include "replay/trace/trace_form.h"

namespace betr::replay {
namespace {

// `trace.1234` and `trace.1234.zst` are the files of thread 1234.
std::optional<uint32_t> PidOfName(std::string_view path) {
  if (path.ends_with(".zst")) path.remove_suffix(4);
  const size_t dot = path.rfind('.');
  uint32_t pid = 0;
  if (dot == std::string_view::npos || !ParseDecimal(path.substr(dot + 1), &pid)) return std::nullopt;
  return pid;
}

// Lines of -ff are ordered by when calls took effect. A descriptor is free, and a child there, when the call begins.
// dup2 and dup3 say themselves which descriptor they make. Others get theirs at any time before they end.
bool TakesEffectAtOnce(const std::string& name) {
  const bool frees = name == "close" || name == "close_range";
  return frees || name == "dup2" || name == "dup3" || name.starts_with("clone") || name.ends_with("fork");
}

// The sum, or the latest time there is: a trace may claim any times.
std::chrono::nanoseconds SumOrLatest(std::chrono::nanoseconds time, std::chrono::nanoseconds more) {
  int64_t sum = 0;
  const bool is_too_late = __builtin_add_overflow(time.count(), more.count(), &sum);
  return is_too_late ? std::chrono::nanoseconds::max() : std::chrono::nanoseconds(sum);
}

}  // namespace

absl::StatusOr<std::unique_ptr<TraceSource>> TraceSource::Open(const std::vector<std::string>& paths) {
  auto source = std::make_unique<TraceSource>();
  source->are_several_ = paths.size() > 1;
  if (source->are_several_) RaiseDescriptorLimit();
  for (const std::string& path : paths) BETR_RETURN_IF_ERROR(source->Add(path));
  return source;
}

absl::Status TraceSource::Add(const std::string& path) {
  Input input;
  input.path = path;
  BETR_ASSIGN_OR_RETURN(input.file, LineFile::Open(path));
  input.size = input.file->size();
  if (are_several_) input.pid = PidOfName(path);
  inputs_.push_back(std::move(input));
  BETR_RETURN_IF_ERROR(Advance(inputs_.size() - 1));
  // What is no file, as a pipe, cannot be opened again.
  Input& added = inputs_.back();
  if (are_several_ && added.file != nullptr && added.size > Bytes{0}) Close(&added);
  return absl::OkStatus();
}

void TraceSource::Close(Input* input) {
  input->read = input->file->bytes_read();
  input->file.reset();
}

absl::Status TraceSource::Reopen(Input* input) {
  BETR_ASSIGN_OR_RETURN(input->file, LineFile::Open(input->path));
  return input->file->Next().status();  // the first line is known
}

void TraceSource::PlaceInTime(Input* input, SourceLine* line) {
  constexpr std::chrono::hours kDay{24};
  if (line->parsed.ok()) {
    TraceLine& parsed = *line->parsed;
    if (!parsed.pid.has_value()) parsed.pid = input->pid;
    if (parsed.clock == TraceLine::Clock::kSincePrevious) {
      parsed.time = SumOrLatest(parsed.time, input->last);
    } else if (parsed.clock == TraceLine::Clock::kOfDay) {
      const std::chrono::nanoseconds latest = SumOrLatest(SumOrLatest(parsed.time, input->days), kDay / 2);
      if (latest < input->last) input->days = SumOrLatest(input->days, kDay);
      parsed.time = SumOrLatest(parsed.time, input->days);
    } else if (parsed.clock == TraceLine::Clock::kNone) {
      parsed.time = input->last;
    }
    input->last = parsed.time;
    input->order = parsed.time;
    if (are_several_ && parsed.result.duration.has_value() && !TakesEffectAtOnce(parsed.name)) {
      input->order = SumOrLatest(input->order, *parsed.result.duration);
    }
  }
}

// Only times of one clock put the lines of several files in order; those since the line before are of none.
absl::Status TraceSource::CheckTime(Input* input, const SourceLine& line) const {
  if (!are_several_ || input->has_times || !line.parsed.ok()) return absl::OkStatus();
  const TraceLine& parsed = *line.parsed;
  if (parsed.kind == TraceLine::Kind::kNote || parsed.kind == TraceLine::Kind::kContinuation) return absl::OkStatus();
  input->has_times = parsed.clock == TraceLine::Clock::kSinceEpoch || parsed.clock == TraceLine::Clock::kOfDay;
  if (input->has_times) return absl::OkStatus();
  return absl::InvalidArgumentError(
      fmt::format("{}:{}: has no time, by which the lines of several files are put in order (strace -ff needs -ttt)",
                  line.file, line.number));
}

absl::Status TraceSource::ReadNext(Input* input) {
  input->next.reset();
  if (input->has_ended) return absl::OkStatus();
  if (input->file == nullptr) BETR_RETURN_IF_ERROR(Reopen(input));
  BETR_ASSIGN_OR_RETURN(std::optional<std::string> text, input->file->Next());
  if (!text.has_value()) {
    input->has_ended = true;
    Close(input);
    return absl::OkStatus();
  }
  if (input->file->lines() == 1 && FormOfBeginning(*text) != TraceForm::kStrace) {
    return absl::InvalidArgumentError(fmt::format("{}: a converted trace has to be a file, and alone", input->path));
  }
  SourceLine line{.text = *std::move(text), .file = input->path, .number = input->file->lines()};
  line.parsed = ParseTraceLine(line.text);
  BETR_RETURN_IF_ERROR(CheckTime(input, line));
  PlaceInTime(input, &line);
  input->next = std::move(line);
  return absl::OkStatus();
}

absl::Status TraceSource::Advance(size_t number) {
  Input& input = inputs_[number];
  BETR_RETURN_IF_ERROR(ReadNext(&input));
  if (input.next.has_value()) queue_.emplace(input.order, number);
  return absl::OkStatus();
}

absl::StatusOr<std::optional<SourceLine>> TraceSource::Next() {
  if (queue_.empty()) return std::nullopt;
  const size_t first = queue_.top().second;
  queue_.pop();
  std::optional<SourceLine> line = std::move(inputs_[first].next);
  BETR_RETURN_IF_ERROR(Advance(first));
  return line;
}

Bytes TraceSource::bytes_read() const {
  Bytes sum{0};
  for (const Input& input : inputs_) sum += input.file == nullptr ? input.read : input.file->bytes_read();
  return sum;
}

Bytes TraceSource::size() const {
  Bytes sum{0};
  for (const Input& input : inputs_) {
    if (input.size.value == 0 && !input.has_ended) return Bytes{0};
    sum += input.size;
  }
  return sum;
}

}  // namespace betr::replay
