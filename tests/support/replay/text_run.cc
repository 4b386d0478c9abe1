// SPDX-License-Identifier: Apache-2.0
#include "support/replay/text_run.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <fstream>
#include <map>

#include "betr/filesystem.h"
#include "device/file_device.h"
#include "replay/compare.h"
#include "replay/directory_target.h"
#include "replay/image_target.h"

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

void TextRun::InImage() {
  const std::string image = dir_.File("image");
  FormatImage(image);
  auto target = ImageTarget::Open({.image = image, .program = "test"});
  REQUIRE(target.ok());
  RunOn(target->get());
}

std::unique_ptr<Target> TextRun::NewDirectory() const {
  const std::string directory = dir_.File("directory");
  REQUIRE(mkdir(directory.c_str(), 0755) == 0);
  auto target = DirectoryTarget::Open(directory, 1);
  REQUIRE(target.ok());
  return *std::move(target);
}

void TextRun::InDirectory() { RunOn(NewDirectory().get()); }

void TextRun::InDirectorySomehow() {
  const std::unique_ptr<Target> target = NewDirectory();
  Run(target.get());
  CHECK(target->List(options_.root).ok());
}

void TextRun::Everywhere() {
  InDirectory();
  InImage();
  OnNothing();
}

Manifest TextRun::Infer() const {
  absl::StatusOr<Manifest> manifest = InferManifest(options_, [](uint64_t, Bytes, Bytes) {});
  REQUIRE(manifest.ok());
  return *std::move(manifest);
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

}  // namespace betr::replay
