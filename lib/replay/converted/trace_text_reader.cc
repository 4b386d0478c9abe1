// SPDX-License-Identifier: Apache-2.0
#include "replay/converted/trace_text_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <variant>

#include "base/status.h"
#include "replay/converted/operation_text.h"
#include "replay/trace/argument.h"
#include "replay/trace/trace_text.h"

namespace betr::replay {
namespace {

constexpr uint64_t kLinesBetweenProgress = 4096;

}  // namespace

absl::StatusOr<std::unique_ptr<ConvertedTrace>> TraceTextReader::Open(const std::string& path) {
  BETR_ASSIGN_OR_RETURN(std::unique_ptr<LineFile> file, LineFile::Open(path));
  std::unique_ptr<TraceTextReader> reader(new TraceTextReader(std::move(file)));
  BETR_RETURN_IF_ERROR(reader->ReadBeginning());
  return reader;
}

absl::Status TraceTextReader::Annotated(const absl::Status& status) const {
  return status.ok() ? status : Annotate(status, fmt::format("{}:{}", file_->path(), file_->lines()));
}

absl::Status TraceTextReader::Next() {
  do {
    BETR_ASSIGN_OR_RETURN(std::optional<std::string> line, file_->Next());
    if (!line.has_value()) return Annotated(absl::DataLossError("the file is cut: it has no line `end`"));
    line_ = *std::move(line);
    if (file_->IsCut() && line_ != kEndWord) return Annotated(absl::DataLossError("the file is cut in this line"));
  } while (line_.empty() || line_.starts_with('#'));
  word_ = std::string_view(line_).substr(0, line_.find(' '));
  value_ = std::string_view(line_).substr(std::min(word_.size() + 1, line_.size()));
  return absl::OkStatus();
}

absl::Status TraceTextReader::CheckVersion() {
  BETR_RETURN_IF_ERROR(Next());
  const std::string_view version = std::string_view(line_).substr(std::min(kTextMagic.size(), line_.size()));
  if (!line_.starts_with(kTextMagic)) return Annotated(absl::InvalidArgumentError("no text of a converted trace"));
  if (version == kTextVersion) return absl::OkStatus();
  return Annotated(absl::UnimplementedError(fmt::format("version {} of converted traces as text; this program reads {}",
                                                        version.substr(0, 20), kTextVersion)));
}

absl::Status TraceTextReader::AddEntry(Manifest* manifest) const {
  BETR_ASSIGN_OR_RETURN(ManifestEntry entry, ParseManifestEntry(value_));
  if (!manifest->entries.empty() && entry.path <= manifest->entries.back().path) {
    return absl::InvalidArgumentError("objects are not in order");
  }
  manifest->entries.push_back(std::move(entry));
  return absl::OkStatus();
}

absl::Status TraceTextReader::ReadBeginning() {
  BETR_RETURN_IF_ERROR(CheckVersion());
  BETR_RETURN_IF_ERROR(Next());
  root_ = DecodeEscapes(value_);
  const bool is_path = root_.starts_with('/') && root_.find('\0') == std::string::npos && root_.size() <= kMostText;
  if (word_ != kRootWord || !is_path) return Annotated(absl::InvalidArgumentError("not the root as an absolute path"));
  BETR_RETURN_IF_ERROR(Next());
  while (word_ == kInitialWord) {
    BETR_RETURN_IF_ERROR(Annotated(AddEntry(&initial_)));
    BETR_RETURN_IF_ERROR(Next());
  }
  return absl::OkStatus();
}

absl::Status TraceTextReader::HandleRecord(OperationFollower* follower, OperationSink* sink) {
  BETR_ASSIGN_OR_RETURN(const TraceRecord record, ParseRecord(line_));
  if (const auto* event = std::get_if<ProcessEvent>(&record)) {
    sink->Follow(*event);
    return absl::OkStatus();
  }
  const auto& operation = std::get<Operation>(record);
  BETR_RETURN_IF_ERROR(Annotate(follower->Check(operation), NameOf(operation.kind)));
  sink->Perform(operation);
  follower->Apply(operation);
  traced_line_ = operation.line;
  return absl::OkStatus();
}

absl::Status TraceTextReader::Handle(OperationFollower* follower, OperationSink* sink, TraceOutcome* outcome) {
  if (word_ == kFinalWord) return AddEntry(&outcome->expected);
  if (word_ == kUnknownModeWord) {
    const bool is_path = value_.starts_with('/');
    if (is_path) outcome->unknown_modes.insert(DecodeEscapes(value_));
    return is_path ? absl::OkStatus() : absl::InvalidArgumentError("not an absolute path");
  }
  if (const std::optional<absl::Status> parsed = ParseOutcomeLine(word_, value_, outcome)) return *parsed;
  return HandleRecord(follower, sink);
}

absl::StatusOr<TraceOutcome> TraceTextReader::Read(NameSpace* space, OperationSink* sink,
                                                   absl::FunctionRef<void(uint64_t)> progress) {
  OperationFollower follower(space);
  TraceOutcome outcome;
  while (line_ != kEndWord) {
    BETR_RETURN_IF_ERROR(Annotated(Handle(&follower, sink, &outcome)));
    if (file_->lines() % kLinesBetweenProgress == 0) progress(traced_line_);
    BETR_RETURN_IF_ERROR(Next());
  }
  BETR_ASSIGN_OR_RETURN(const std::optional<std::string> behind, file_->Next());
  if (behind.has_value()) return Annotated(absl::InvalidArgumentError("something follows the end"));
  return outcome;
}

}  // namespace betr::replay
