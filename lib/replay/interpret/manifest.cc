// SPDX-License-Identifier: Apache-2.0
#include "replay/interpret/manifest.h"

#include <fmt/format.h>
#include <sys/sysmacros.h>

#include <algorithm>
#include <charconv>

#include "base/status.h"
#include "replay/interpret/sha256.h"
#include "replay/trace/argument.h"
#include "replay/trace/line_file.h"
#include "replay/trace/scan.h"

namespace betr::replay {
namespace {

constexpr std::string_view kTypeLetters = "fdlpscb";
constexpr std::string_view kDigestLine = "# sha256(path,type,size) ";

char LetterOf(FileType type) {
  switch (type) {
    case FileType::kRegular:
      return 'f';
    case FileType::kDirectory:
      return 'd';
    case FileType::kSymlink:
      return 'l';
    case FileType::kFifo:
      return 'p';
    case FileType::kSocket:
      return 's';
    case FileType::kCharDevice:
      return 'c';
    case FileType::kBlockDevice:
      return 'b';
  }
  return '?';
}

FileType TypeOf(char letter) {
  switch (letter) {
    case 'd':
      return FileType::kDirectory;
    case 'l':
      return FileType::kSymlink;
    case 'p':
      return FileType::kFifo;
    case 's':
      return FileType::kSocket;
    case 'c':
      return FileType::kCharDevice;
    case 'b':
      return FileType::kBlockDevice;
    default:
      return FileType::kRegular;
  }
}

absl::Status ParseExtra(std::string_view extra, ManifestEntry* entry) {
  for (const std::string_view part : SplitNonEmpty(extra, ' ')) {
    if (part.starts_with("->")) {
      entry->target = DecodeEscapes(part.substr(2));
    } else if (part.starts_with("hl=")) {
      if (!ParseDecimal(part.substr(3), &entry->link_group)) return absl::InvalidArgumentError("wrong hl=");
    } else if (part.starts_with("dev=")) {
      const std::vector<std::string_view> numbers = SplitNonEmpty(part.substr(4), ',');
      uint32_t major = 0;
      uint32_t minor = 0;
      if (numbers.size() != 2 || !ParseDecimal(numbers[0], &major) || !ParseDecimal(numbers[1], &minor)) {
        return absl::InvalidArgumentError("wrong dev=");
      }
      entry->device = makedev(major, minor);
    } else if (part != "-") {
      return absl::InvalidArgumentError("wrong last field");
    }
  }
  return absl::OkStatus();
}

}  // namespace

std::string EscapePath(std::string_view path) {
  std::string text;
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte <= 0x20 || byte >= 0x7f || c == '\\') {
      text += fmt::format("\\{:03o}", static_cast<unsigned>(byte));
    } else {
      text.push_back(c);
    }
  }
  return text;
}

absl::StatusOr<ManifestEntry> ParseManifestEntry(std::string_view line) {
  const std::vector<std::string_view> fields = SplitNonEmpty(line, '\t');
  ManifestEntry entry;
  if (fields.size() < 4 || fields.size() > 5) return absl::InvalidArgumentError("not five fields between tabs");
  entry.path = DecodeEscapes(fields[0]);
  if (!entry.path.starts_with('/') || entry.path.find('\0') != std::string::npos) {
    return absl::InvalidArgumentError("not an absolute path");
  }
  if (fields[1].size() != 1 || kTypeLetters.find(fields[1][0]) == std::string_view::npos) {
    return absl::InvalidArgumentError("wrong type");
  }
  entry.type = TypeOf(fields[1][0]);
  const std::string_view mode = fields[2];
  const auto [end, error] = std::from_chars(mode.data(), mode.data() + mode.size(), entry.permissions, 8);
  if (error != std::errc() || end != mode.data() + mode.size() || entry.permissions > 07777) {
    return absl::InvalidArgumentError("wrong mode");
  }
  if (!ParseDecimal(fields[3], &entry.size)) return absl::InvalidArgumentError("wrong size");
  if (fields.size() == 5) BETR_RETURN_IF_ERROR(ParseExtra(fields[4], &entry));
  return entry;
}

std::string FormatManifestEntry(const ManifestEntry& entry) {
  std::vector<std::string> extra;
  if (entry.type == FileType::kSymlink) extra.push_back("->" + EscapePath(entry.target));
  if (entry.link_group != 0) extra.push_back(fmt::format("hl={}", entry.link_group));
  if (entry.device != 0) extra.push_back(fmt::format("dev={},{}", major(entry.device), minor(entry.device)));
  if (extra.empty()) extra.emplace_back("-");
  return fmt::format("{}\t{}\t{:04o}\t{}\t{}", EscapePath(entry.path), LetterOf(entry.type), entry.permissions,
                     entry.size, fmt::join(extra, " "));
}

void Sort(Manifest* manifest) {
  std::sort(manifest->entries.begin(), manifest->entries.end(),
            [](const ManifestEntry& a, const ManifestEntry& b) { return a.path < b.path; });
}

std::string DigestOf(const Manifest& manifest) {
  Sha256 digest;
  for (const ManifestEntry& entry : manifest.entries) {
    digest.Add(fmt::format("{}\t{}\t{}\n", EscapePath(entry.path), LetterOf(entry.type), entry.size));
  }
  return digest.Hex();
}

absl::StatusOr<Manifest> ReadManifest(const std::string& path) {
  BETR_ASSIGN_OR_RETURN(const std::unique_ptr<LineFile> file, LineFile::Open(path));
  Manifest manifest;
  while (true) {
    BETR_ASSIGN_OR_RETURN(const std::optional<std::string> line, file->Next());
    if (!line.has_value()) break;
    if (line->starts_with(kDigestLine)) manifest.digest = line->substr(kDigestLine.size());
    if (line->empty() || line->starts_with('#')) continue;
    absl::StatusOr<ManifestEntry> entry = ParseManifestEntry(*line);
    if (!entry.ok()) return Annotate(entry.status(), fmt::format("{}:{}", path, file->lines()));
    manifest.entries.push_back(*std::move(entry));
  }
  Sort(&manifest);
  return manifest;
}

}  // namespace betr::replay
