// SPDX-License-Identifier: Apache-2.0
#include "replay/converted/trace_writer.h"

#include <fmt/format.h>

namespace betr::replay {

TraceWriter::TraceWriter(std::ostream* out, std::string_view root, const Manifest& initial) : out_(*out) {
  out_ << EncodeTraceHeader();
  *Begin(BlockKind::kRoot) = root;
  AddLines(BlockKind::kInitial, initial);
}

std::string* TraceWriter::Begin(BlockKind kind) {
  if (kind != kind_ || raw_.size() >= kUsualBlock.value) Flush();
  kind_ = kind;
  ++items_;
  return &raw_;
}

void TraceWriter::Flush() {
  if (items_ == 0) return;
  out_ << EncodeBlock(kind_, blocks_++, items_, raw_);
  raw_.clear();
  items_ = 0;
  encoder_ = OperationEncoder();
}

void TraceWriter::AddLine(BlockKind kind, std::string_view line) {
  constexpr size_t kMostPath = size_t{256} << 10;
  if (line.size() > kMostPath) {
    if (status_.ok()) status_ = absl::InvalidArgumentError("a path is too long for a converted trace");
    return;
  }
  std::string* block = Begin(kind);
  block->append(line);
  block->push_back('\n');
}

void TraceWriter::AddLines(BlockKind kind, const Manifest& manifest) {
  for (const ManifestEntry& entry : manifest.entries) AddLine(kind, FormatManifestEntry(entry));
}

void TraceWriter::Perform(const Operation& operation) {
  if (!Fits(operation)) {
    if (status_.ok()) {
      status_ =
          absl::InvalidArgumentError(fmt::format("line {}: a text is too long for a converted trace", operation.line));
    }
    return;
  }
  encoder_.Add(operation, Begin(BlockKind::kRecords));
}

void TraceWriter::Follow(const ProcessEvent& event) { encoder_.Add(event, Begin(BlockKind::kRecords)); }

absl::Status TraceWriter::Finish(const TraceOutcome& outcome) {
  AddLines(BlockKind::kFinal, outcome.expected);
  for (const std::string& path : outcome.unknown_modes) AddLine(BlockKind::kUnknownModes, EscapePath(path));
  *Begin(BlockKind::kOutcome) = EncodeOutcome(outcome);
  Flush();
  out_.flush();
  if (status_.ok() && !out_) status_ = absl::UnavailableError("writing failed");
  return status_;
}

}  // namespace betr::replay
