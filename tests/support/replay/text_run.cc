// SPDX-License-Identifier: Apache-2.0
#include "support/replay/text_run.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/stat.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <fstream>
#include <map>
#include <sstream>

#include "betr/filesystem.h"
#include "device/file_device.h"
#include "replay/compare.h"
#include "replay/converted/trace_reader.h"
#include "replay/directory_target.h"
#include "replay/image_target.h"
#include "replay/interpret/initial_state.h"

namespace betr::replay {
namespace {

void WriteLines(const std::string& path, const std::vector<std::string>& lines) {
  std::ofstream file(path);
  for (const std::string& line : lines) file << line << '\n';
}

void FormatImage(const std::string& path) {
  auto device = FileDevice::Create(path, MiB(64));
  REQUIRE(device.ok());
  FormatOptions format;
  format.log_size = MiB(1);
  REQUIRE(Store::Format(**device, format).ok());
  StoreOptions options;
  REQUIRE(FileSystem::RegisterUpserts(&options.functions).ok());
  auto store = Store::Open(*std::move(device), std::move(options));
  REQUIRE(store.ok());
  REQUIRE(FileSystem::Format(store->get(), {}).ok());
  REQUIRE((*store)->Close().ok());
}

}  // namespace

TextRun::TextRun(const std::vector<std::string>& lines, const std::string& root) {
  options_.root = root;
  options_.traces = {dir_.File("trace.100")};
  WriteLines(options_.traces.front(), lines);
  initial_.entries = {{.path = root, .type = FileType::kDirectory, .permissions = 0755}};
}

void TextRun::AddFile(const std::string& suffix, const std::vector<std::string>& lines) {
  options_.traces.push_back(dir_.File("trace." + suffix));
  WriteLines(options_.traces.back(), lines);
}

void TextRun::SetManifest(const std::vector<std::string>& lines) {
  for (std::string line : lines) {
    std::replace(line.begin(), line.end(), ' ', '\t');
    const absl::StatusOr<ManifestEntry> entry = ParseManifestEntry(line);
    REQUIRE(entry.ok());
    initial_.entries.push_back(*entry);
  }
  Sort(&initial_);
}

void TextRun::Run(Target* target) {
  const auto no_progress = [](uint64_t, Bytes, Bytes) {};
  absl::StatusOr<RunResult> result = RunTrace(options_, initial_, target, &SystemClock(), no_progress);
  INFO(result.status());
  REQUIRE(result.ok());
  result_ = *std::move(result);
}

void TextRun::OnNothing() { Run(nullptr); }

void TextRun::RunOn(Target* target) {
  Run(target);
  CHECK(result_.report.samples == std::vector<std::string>{});
  const absl::StatusOr<Manifest> found = target->List(options_.root);
  REQUIRE(found.ok());
  CHECK(Compare(result_.expected, *found, result_.unknown_modes).differences == std::vector<std::string>{});
  REQUIRE(target->Close().ok());
}

void TextRun::InImage() { RunInImage("image"); }

void TextRun::RunInImage(const std::string& name) {
  const std::string image = dir_.File(name);
  FormatImage(image);
  auto target = ImageTarget::Open({.image = image, .program = "test"});
  REQUIRE(target.ok());
  RunOn(target->get());
}

std::unique_ptr<Target> TextRun::NewDirectory(const std::string& name) const {
  const std::string directory = dir_.File(name);
  REQUIRE(mkdir(directory.c_str(), 0755) == 0);
  auto target = DirectoryTarget::Open(directory, 1);
  REQUIRE(target.ok());
  return *std::move(target);
}

void TextRun::InDirectory() { RunOn(NewDirectory("directory").get()); }

void TextRun::InDirectorySomehow() {
  const std::unique_ptr<Target> target = NewDirectory("directory");
  Run(target.get());
  CHECK(target->List(options_.root).ok());
}

void TextRun::Everywhere() {
  InDirectory();
  InImage();
  WithThreads();
  OnNothing();
  Converted();
}

void TextRun::WithThreads() {
  OnNothing();
  const std::string serial = Summary(result_);
  options_.has_threads = true;
  OnNothing();
  CHECK(Summary(result_) == serial);
  RunOn(NewDirectory("directory for threads").get());
  CHECK(Summary(result_) == serial);
  RunInImage("image for threads");
  CHECK(Summary(result_) == serial);
  options_.has_threads = false;
}

void TextRun::Converted() {
  OnNothing();
  const std::string direct = Summary(result_);
  const RunOptions options = options_;
  const std::string path = dir_.File("converted");
  std::ofstream(path, std::ios::binary) << Convert(options_.traces);
  options_.traces = {path};
  CHECK(Lines(Infer()) == Lines(initial_));
  OnNothing();
  CHECK(Summary(result_) == direct);
  RunInImage("image of what is converted");
  CHECK(Summary(result_) == direct);
  ConvertedBack();
  OnNothing();
  CHECK(Summary(result_) == direct);
  options_ = options;
}

std::string TextRun::Convert(const std::vector<std::string>& traces) const {
  RunOptions options = options_;
  options.traces = traces;
  std::ostringstream out;
  const auto converted = ConvertTrace(options, initial_, &out, [](uint64_t, Bytes, Bytes) {});
  INFO(converted.status());
  REQUIRE(converted.ok());
  return out.str();
}

void TextRun::ConvertedBack() {
  const std::string compact = options_.traces.front();
  options_.traces = {dir_.File("text")};
  std::ofstream(options_.traces.front()) << Convert({compact});
  std::stringstream bytes;
  bytes << std::ifstream(compact, std::ios::binary).rdbuf();
  CHECK(Convert(options_.traces) == bytes.str());
  CHECK(Lines(Infer()) == Lines(initial_));
}

Manifest TextRun::Infer() const {
  absl::StatusOr<Manifest> manifest = InferManifest(options_, [](uint64_t, Bytes, Bytes) {});
  REQUIRE(manifest.ok());
  return *std::move(manifest);
}

std::vector<Operation> TextRun::Operations(OperationKind kind) const {
  class Collector final : public OperationSink {
   public:
    explicit Collector(OperationKind kind) : kind_(kind) {}
    void Perform(const Operation& operation) override {
      if (operation.kind == kind_) operations.push_back(operation);
    }
    std::vector<Operation> operations;

   private:
    OperationKind kind_;
  } collector(kind);
  const auto trace = TraceReader::Open(std::make_unique<std::istringstream>(Convert(options_.traces)), "converted");
  REQUIRE(trace.ok());
  NameSpace space(options_.root);
  REQUIRE(LoadManifest(initial_, &space).ok());
  REQUIRE((*trace)->Read(&space, &collector, [](uint64_t) {}).ok());
  return collector.operations;
}

std::string Summary(const RunResult& result) {
  std::string text;
  for (size_t i = 0; i < kOperationKinds; ++i) {
    const KindReport& kind = result.report.kinds.at(i);
    if (kind.latency.count() == 0 || static_cast<OperationKind>(i) == OperationKind::kLookup) continue;
    text += fmt::format("{} {} failed {}\n", NameOf(static_cast<OperationKind>(i)), kind.latency.count(), kind.failed);
  }
  const StreamCounts& stream = result.stream;
  const InterpreterCounts& calls = result.interpreter;
  text += fmt::format("read {} written {} differences {} {}\n", result.report.read.value, result.report.written.value,
                      result.report.differences, result.report.samples);
  text += fmt::format("lines {} calls {} signals {} exits {} notes {} unparsed {} unfinished {} {}\n", stream.lines,
                      stream.calls, stream.signals, stream.exits, stream.notes, stream.unparsed, stream.unfinished,
                      stream.samples);
  text += fmt::format("used {} outside {} other {} {} {} {} {}\n", calls.used, calls.outside, calls.other,
                      calls.unsupported, calls.skipped, calls.conflicts, calls.samples);
  text += fmt::format("maps {} unsynced {} synced {}\n", calls.shared_maps, calls.unsynced_maps, calls.map_syncs);
  text += fmt::format("traced {} modes {}\n{}\n", result.traced.count(), result.unknown_modes,
                      fmt::join(Lines(result.expected), "\n"));
  return text;
}

std::vector<std::string> Lines(const Manifest& manifest) {
  std::map<uint64_t, size_t> names;
  for (const ManifestEntry& entry : manifest.entries) ++names[entry.link_group];
  std::vector<std::string> lines;
  for (const ManifestEntry& entry : manifest.entries) {
    const std::string text = FormatManifestEntry(entry);
    const char type = text.at(text.find('\t') + 1);
    std::string line = fmt::format("{} {:04o} {} {}", type, entry.permissions, entry.size, entry.path);
    if (!entry.target.empty()) line += "->" + entry.target;
    if (entry.link_group != 0) line += fmt::format("={}", names[entry.link_group]);
    lines.push_back(line);
  }
  return lines;
}

std::vector<std::string> TextRun::Final() const {
  std::vector<std::string> lines = Lines(result_.expected);
  lines.erase(lines.begin());  // the root
  return lines;
}

std::vector<std::string> InferredFully(const std::vector<std::string>& lines) {
  TextRun run(lines);
  run.TakeInferred();
  run.Everywhere();
  CHECK(run.result().interpreter.samples == std::vector<std::string>{});
  return Lines(run.Infer());
}

}  // namespace betr::replay
