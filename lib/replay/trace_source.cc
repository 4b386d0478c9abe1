// SPDX-License-Identifier: Apache-2.0
#include "replay/trace_source.h"

#include <algorithm>

#include "base/status.h"
#include "replay/scan.h"

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
bool TakesEffectAtOnce(const std::string& name) {
  return name == "close" || name.starts_with("dup") || name.starts_with("clone") || name.ends_with("fork");
}

}  // namespace

absl::StatusOr<std::unique_ptr<TraceSource>> TraceSource::Open(const std::vector<std::string>& paths) {
  auto source = std::make_unique<TraceSource>();
  for (const std::string& path : paths) {
    Input input;
    BETR_ASSIGN_OR_RETURN(input.file, LineFile::Open(path));
    if (paths.size() > 1) input.pid = PidOfName(path);
    source->inputs_.push_back(std::move(input));
  }
  for (Input& input : source->inputs_) BETR_RETURN_IF_ERROR(source->Advance(&input));
  return source;
}

void TraceSource::PlaceInTime(Input* input, SourceLine* line) {
  constexpr std::chrono::hours kDay{24};
  if (line->parsed.ok()) {
    TraceLine& parsed = *line->parsed;
    if (!parsed.pid.has_value()) parsed.pid = input->pid;
    if (parsed.clock == TraceLine::Clock::kSincePrevious) {
      parsed.time += input->last;
    } else if (parsed.clock == TraceLine::Clock::kOfDay) {
      if (parsed.time + input->days + kDay / 2 < input->last) input->days += kDay;
      parsed.time += input->days;
    } else if (parsed.clock == TraceLine::Clock::kNone) {
      parsed.time = input->last;
    }
    input->last = parsed.time;
    input->order = parsed.time;
    if (inputs_.size() > 1 && parsed.result.duration.has_value() && !TakesEffectAtOnce(parsed.name)) {
      input->order += *parsed.result.duration;
    }
  }
}

absl::Status TraceSource::Advance(Input* input) {
  BETR_ASSIGN_OR_RETURN(std::optional<std::string> text, input->file->Next());
  input->next.reset();
  if (!text.has_value()) return absl::OkStatus();
  SourceLine line{.text = *std::move(text), .file = input->file->path(), .number = input->file->lines()};
  line.parsed = ParseTraceLine(line.text);
  PlaceInTime(input, &line);
  input->next = std::move(line);
  return absl::OkStatus();
}

absl::StatusOr<std::optional<SourceLine>> TraceSource::Next() {
  Input* first = nullptr;
  for (Input& input : inputs_) {
    if (input.next.has_value() && (first == nullptr || input.order < first->order)) first = &input;
  }
  if (first == nullptr) return std::nullopt;
  std::optional<SourceLine> line = std::move(first->next);
  BETR_RETURN_IF_ERROR(Advance(first));
  return line;
}

Bytes TraceSource::bytes_read() const {
  Bytes sum{0};
  for (const Input& input : inputs_) sum += input.file->bytes_read();
  return sum;
}

Bytes TraceSource::size() const {
  Bytes sum{0};
  for (const Input& input : inputs_) {
    if (input.file->size().value == 0) return Bytes{0};
    sum += input.file->size();
  }
  return sum;
}

}  // namespace betr::replay
