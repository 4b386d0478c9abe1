// SPDX-License-Identifier: Apache-2.0
// Converted traces (strace_fuzz has the lines that they come from): the records, the outcome, and whole files in both
// forms. What is read from one is safe to be done, and is written again as the same bytes.
#include <sstream>

#include "base/check.h"
#include "base/coding.h"
#include "fuzz/fuzz.h"
#include "replay/converted/trace_reader.h"
#include "replay/converted/trace_writer.h"
#include "replay/interpret/initial_state.h"
#include "replay/trace/trace_form.h"
#include "support/replay/conversion.h"

namespace betr::replay {
namespace {

constexpr uint64_t kInitialFiles = 3;

Manifest InitialState() {
  Manifest manifest;
  manifest.entries.push_back({.path = "/w", .type = FileType::kDirectory, .permissions = 0755});
  for (uint64_t i = 0; i < kInitialFiles; ++i) {
    manifest.entries.push_back({.path = "/w/" + std::string(1, static_cast<char>('a' + i)), .permissions = 0644});
  }
  return manifest;
}

// Operations that mostly make sense, on the few nodes that there are.
Operation RandomOperation(Random& random, uint64_t* next_node, uint64_t* next_file) {
  constexpr uint64_t kFirst = 3;  // behind "/" and the root
  Operation operation;
  operation.line = random.Skewed(12);
  operation.thread = static_cast<ThreadNumber>(random.Uniform(3));
  const std::string name(1, static_cast<char>('a' + random.Uniform(5)));
  const NodeNumber file{kFirst + random.Uniform(kInitialFiles)};
  switch (random.Uniform(6)) {
    case 0:
      operation.kind = OperationKind::kCreate;
      operation.place = {NodeNumber{(*next_node)++}, NodeNumber{2}, "new" + std::to_string(*next_node), {}};
      operation.file = FileNumber{(*next_file)++};
      break;
    case 1:
      operation.kind = OperationKind::kLookup;
      operation.place = {file, NodeNumber{2}, std::string(1, static_cast<char>('a' + file.value - kFirst)), {}};
      break;
    case 2:
      operation.kind = OperationKind::kStat;
      operation.place = {NodeNumber{}, NodeNumber{2}, "none", {}};
      operation.expected_error = 2;
      operation.is_probe = true;
      break;
    case 3:
      operation.kind = OperationKind::kOpen;
      operation.place.node = file;
      operation.file = FileNumber{(*next_file)++};
      break;
    case 4:
      operation.kind = OperationKind::kRename;
      operation.place = {file, NodeNumber{2}, std::string(1, static_cast<char>('a' + file.value - kFirst)), {}};
      operation.to = operation.place;
      break;
    default:
      operation.kind = OperationKind::kChangeTimes;
      operation.place.node = file;
      operation.modified = {.kind = TimeChange::Kind::kGiven, .time = {static_cast<int64_t>(random.Skewed(40)), 5}};
      operation.expected_count = random.Skewed(63);
  }
  return operation;
}

std::string RandomRecords(Random& random) {
  OperationEncoder encoder;
  std::string bytes;
  uint64_t next_node = 3 + kInitialFiles;
  uint64_t next_file = 1;
  for (uint64_t n = 1 + random.Uniform(8); n > 0; --n) {
    encoder.Add(RandomOperation(random, &next_node, &next_file), &bytes);
    if (random.OneIn(4)) encoder.Add(ProcessEvent{.kind = ProcessEvent::Kind::kFork, .thread = 1, .other = 2}, &bytes);
  }
  return bytes;
}

std::string RandomOutcome(Random& random) {
  TraceOutcome outcome;
  outcome.stream.lines = random.Skewed(40);
  outcome.stream.samples = {"a line"};
  outcome.interpreter.conflicts["some"] = random.Skewed(10);
  outcome.interpreter.conflicts["others"] = 2;
  return EncodeOutcome(outcome);
}

std::string RandomFile(Random& random) {
  std::ostringstream out;
  TraceWriter writer(&out, "/w", InitialState());
  uint64_t next_node = 3 + kInitialFiles;
  uint64_t next_file = 1;
  for (uint64_t n = 1 + random.Uniform(8); n > 0; --n) writer.Perform(RandomOperation(random, &next_node, &next_file));
  writer.Follow({.kind = ProcessEvent::Kind::kEnd, .thread = 1});
  TraceOutcome outcome;
  outcome.expected = InitialState();
  outcome.unknown_modes = {"/w/a"};
  Check(writer.Finish(outcome).ok(), "a small trace can be written");
  return out.str();
}

// Makes the checksums of all blocks good that can be found.
void Seal(std::string* file) {
  uint64_t number = 0;
  for (size_t at = kTraceHeaderSize; at + kBlockHeaderSize <= file->size();) {
    const auto header = DecodeBlockHeader(std::string_view(*file).substr(at));
    if (!header.ok() || header->stored_size > file->size() - at - kBlockHeaderSize) return;
    std::string block = file->substr(at, kBlockHeaderSize + header->stored_size);
    SealBlock(number++, &block);
    file->replace(at, block.size(), block);
    at += block.size();
  }
}

void ReadFile(const std::string& file) {
  const auto reader = TraceReader::Open(std::make_unique<std::istringstream>(file), "file");
  if (!reader.ok()) return;
  NameSpace space((*reader)->root());
  if (!LoadManifest((*reader)->initial(), &space).ok()) return;
  std::ostringstream again;
  TraceWriter writer(&again, (*reader)->root(), (*reader)->initial());
  const auto outcome = (*reader)->Read(&space, &writer, [](uint64_t) {});
  if (!outcome.ok()) return;
  Check(writer.Finish(*outcome).ok(), "what was read can be written");
  const auto second = TraceReader::Open(std::make_unique<std::istringstream>(again.str()), "again");
  Check(second.ok(), "what was written can be read");
}

std::string RandomText(Random& random) {
  const absl::StatusOr<std::string> text = Converted(RandomFile(random));
  // Not every operation is one that can be.
  return text.ok() ? *text : "betr trace 1\nroot /w\nend\n";
}

void ReadText(const std::string& text) {
  if (FormOfBeginning(text) != TraceForm::kText) return;
  const absl::StatusOr<std::string> compact = Converted(text);
  if (!compact.ok()) return;
  const absl::StatusOr<std::string> again = Converted(*compact);
  Check(again.ok(), again.status().ToString());
  const absl::StatusOr<std::string> back = Converted(*again);
  Check(back.ok() && *back == *compact, "text becomes the trace that it is of");
}

void DecodeRecords(const std::string& bytes) {
  Decoder in(bytes);
  OperationDecoder decoder;
  OperationEncoder encoder;
  std::string again;
  while (in.ok() && in.remaining() > 0) {
    const TraceRecord record = decoder.Next(&in);
    if (in.ok()) std::visit([&](const auto& value) { encoder.Add(value, &again); }, record);
  }
  Check(!in.ok() || again == bytes, "a record has one form");
}

}  // namespace
}  // namespace betr::replay

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace betr::replay;  // NOLINT(google-build-using-namespace)
  betr::layout::FuzzInput input(data, size);
  switch (input.Number(1) % 4) {
    case 0:
      DecodeRecords(betr::layout::FuzzedText(input, RandomRecords));
      break;
    case 1: {
      const std::string bytes = betr::layout::FuzzedText(input, RandomOutcome);
      const auto outcome = DecodeOutcome(bytes);
      betr::Check(!outcome.ok() || EncodeOutcome(*outcome) == bytes, "an outcome has one form");
      break;
    }
    case 2:
      ReadText(betr::layout::FuzzedText(input, RandomText));
      break;
    default: {
      std::string file = betr::layout::FuzzedText(input, RandomFile);
      Seal(&file);
      ReadFile(file);
    }
  }
  return 0;
}
