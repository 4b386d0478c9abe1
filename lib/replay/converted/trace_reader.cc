// SPDX-License-Identifier: Apache-2.0
#include "replay/converted/trace_reader.h"

#include <fmt/format.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <utility>
#include <variant>

#include "base/decoder.h"
#include "base/status.h"
#include "device/device_error.h"
#include "replay/converted/operation_codec.h"
#include "replay/trace/argument.h"
#include "replay/trace/line_file.h"
#include "replay/trace/scan.h"

namespace betr::replay {
namespace {

// The lines of a block: all end with a newline, and there are as many as its header says. Empty if it is wrong.
std::vector<std::string_view> LinesOf(std::string_view raw, uint32_t items) {
  if (!raw.ends_with('\n')) return {};
  std::vector<std::string_view> lines = SplitNonEmpty(raw, '\n');
  if (lines.size() != items) lines.clear();
  return lines;
}

}  // namespace

absl::StatusOr<std::unique_ptr<TraceReader>> TraceReader::Open(const std::string& path) {
  auto file = std::make_unique<std::ifstream>(path, std::ios::binary);
  if (!*file) return DeviceError(path, "open", errno);
  BETR_ASSIGN_OR_RETURN(std::unique_ptr<TraceReader> reader, Open(std::move(file), path));
  std::error_code error;
  const uintmax_t size = std::filesystem::file_size(path, error);
  if (!error) reader->size_ = Bytes{size};
  return reader;
}

absl::StatusOr<std::unique_ptr<TraceReader>> TraceReader::Open(std::unique_ptr<std::istream> in, std::string name) {
  std::unique_ptr<TraceReader> reader(new TraceReader(std::move(in), std::move(name)));
  BETR_RETURN_IF_ERROR(reader->ReadBeginning());
  return reader;
}

absl::StatusOr<std::string> TraceReader::Take(size_t size) {
  std::string bytes(size, '\0');
  in_->read(bytes.data(), static_cast<std::streamsize>(size));
  if (in_->bad()) return absl::UnavailableError(fmt::format("{}: reading failed", name_));
  if (static_cast<size_t>(in_->gcount()) != size) {
    return absl::DataLossError(fmt::format("{}: the file is cut: it ends at byte {}, in the {} bytes from byte {} on",
                                           name_, position_ + static_cast<uint64_t>(in_->gcount()), size, position_));
  }
  position_ += size;
  return bytes;
}

absl::Status TraceReader::Annotated(const absl::Status& status) const {
  return Annotate(status, fmt::format("{}: block {} at byte {}", name_, blocks_ - 1, begin_));
}

absl::Status TraceReader::Next() {
  const BlockKind before = current_.header.kind;
  begin_ = position_;
  BETR_ASSIGN_OR_RETURN(std::string bytes, Take(kBlockHeaderSize));
  ++blocks_;
  const absl::StatusOr<BlockHeader> header = DecodeBlockHeader(bytes);
  if (!header.ok()) return Annotated(header.status());
  if (header->stored_size > 0) {
    BETR_ASSIGN_OR_RETURN(const std::string stored, Take(header->stored_size));
    bytes += stored;
  }
  absl::StatusOr<std::string> raw = DecodeBlock(*header, blocks_ - 1, bytes);
  if (!raw.ok()) return Annotated(raw.status());
  const bool is_first = blocks_ == 1;
  if (is_first != (header->kind == BlockKind::kRoot) || (!is_first && header->kind < before)) {
    return Annotated(absl::DataLossError("blocks are not in order"));
  }
  current_ = {.header = *header, .raw = *std::move(raw)};
  return absl::OkStatus();
}

absl::Status TraceReader::AddEntries(Manifest* manifest) const {
  const std::vector<std::string_view> lines = LinesOf(current_.raw, current_.header.items);
  if (lines.empty()) return Annotated(absl::DataLossError("it has not as many lines as it says"));
  for (const std::string_view line : lines) {
    absl::StatusOr<ManifestEntry> entry = ParseManifestEntry(line);
    if (entry.ok() && !manifest->entries.empty() && entry->path <= manifest->entries.back().path) {
      entry = absl::DataLossError("not in order");
    }
    if (!entry.ok()) return Annotated(Annotate(entry.status(), fmt::format("object {}", manifest->entries.size())));
    manifest->entries.push_back(*std::move(entry));
  }
  return absl::OkStatus();
}

absl::Status TraceReader::AddPaths(std::set<std::string>* paths) const {
  const std::vector<std::string_view> lines = LinesOf(current_.raw, current_.header.items);
  if (lines.empty()) return Annotated(absl::DataLossError("it has not as many lines as it says"));
  for (const std::string_view line : lines) paths->insert(DecodeEscapes(line));
  return absl::OkStatus();
}

absl::Status TraceReader::ReadBeginning() {
  absl::StatusOr<std::string> header = Take(kTraceHeaderSize);
  BETR_RETURN_IF_ERROR(header.status());
  // Its blocks are compressed already; lines of strace and the text form may be as a whole.
  if (header->starts_with(kZstdMagic)) {
    return absl::InvalidArgumentError(name_ + ": a compressed file of a converted trace: decompress it (zstd -d)");
  }
  BETR_RETURN_IF_ERROR(Annotate(CheckTraceHeader(*header), name_));
  BETR_RETURN_IF_ERROR(Next());
  root_ = current_.raw;
  if (!root_.starts_with('/') || root_.find('\0') != std::string::npos || current_.header.items != 1) {
    return Annotated(absl::DataLossError("the root is no absolute path"));
  }
  BETR_RETURN_IF_ERROR(Next());
  while (current_.header.kind == BlockKind::kInitial) {
    BETR_RETURN_IF_ERROR(AddEntries(&initial_));
    BETR_RETURN_IF_ERROR(Next());
  }
  return absl::OkStatus();
}

absl::Status TraceReader::ReadRecords(OperationFollower* follower, OperationSink* sink) {
  Decoder in(current_.raw);
  OperationDecoder decoder;
  for (uint32_t number = 0; number < current_.header.items; ++number) {
    const auto place = [number] { return fmt::format("record {}", number); };
    if (in.remaining() == 0) return Annotated(absl::DataLossError("it has fewer records than it says"));
    const TraceRecord record = decoder.Next(&in);
    if (!in.ok()) return Annotated(in.status(place()));
    if (const auto* event = std::get_if<ProcessEvent>(&record)) {
      sink->Follow(*event);
      continue;
    }
    const auto& operation = std::get<Operation>(record);
    if (const absl::Status checked = follower->Check(operation); !checked.ok()) {
      return Annotated(Annotate(checked, fmt::format("{}: {}", place(), NameOf(operation.kind))));
    }
    sink->Perform(operation);
    follower->Apply(operation);
    line_ = operation.line;
  }
  const absl::Status finished = in.Finish("records");
  return finished.ok() ? finished : Annotated(finished);
}

absl::StatusOr<TraceOutcome> TraceReader::Read(NameSpace* space, OperationSink* sink,
                                               absl::FunctionRef<void(uint64_t)> progress) {
  OperationFollower follower(space);
  Manifest expected;
  std::set<std::string> unknown_modes;
  for (; current_.header.kind != BlockKind::kOutcome;) {
    if (current_.header.kind == BlockKind::kRecords) {
      BETR_RETURN_IF_ERROR(ReadRecords(&follower, sink));
      progress(line_);
    } else if (current_.header.kind == BlockKind::kFinal) {
      BETR_RETURN_IF_ERROR(AddEntries(&expected));
    } else {
      BETR_RETURN_IF_ERROR(AddPaths(&unknown_modes));
    }
    BETR_RETURN_IF_ERROR(Next());
  }
  absl::StatusOr<TraceOutcome> outcome = DecodeOutcome(current_.raw);
  if (!outcome.ok()) return Annotated(outcome.status());
  if (current_.header.items != 1) return Annotated(absl::DataLossError("more than one outcome"));
  if (in_->peek() != std::istream::traits_type::eof()) {
    return absl::DataLossError(fmt::format("{}: something follows the end, at byte {}", name_, position_));
  }
  outcome->expected = std::move(expected);
  outcome->unknown_modes = std::move(unknown_modes);
  return outcome;
}

}  // namespace betr::replay
